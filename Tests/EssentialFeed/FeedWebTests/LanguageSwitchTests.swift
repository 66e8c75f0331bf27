import FeedFeature
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

@Suite struct LanguageSwitchTests {
    private let site = Site { $0.cached = { [image(1)] } }

    @Test func `each page links to itself in every language, by its own name`() async throws {
        let page = try await site.get("/images/\(image(1).id)?after=\(image(7).id)", language: "el")

        for (tag, name) in [("en", "English"), ("el", "Ελληνικά"), ("pt-BR", "Português")] {
            let address = "/images/\(image(1).id)?after=\(image(7).id)&amp;lang=\(tag)"
            let current = tag == "el" ? #" aria-current="true""# : ""
            let link = #"<a href="\#(address)" lang="\#(tag)" hreflang="\#(tag)"\#(current)>\#(name)</a>"#
            #expect(page.text.contains(link), "\(tag)")
        }
    }

    @Test func `a chosen language is remembered`() async throws {
        let chosen = try await site.get("/?lang=el", language: "pt-BR")
        #expect(chosen.headers[.setCookie] == "lang=el; Path=/; Max-Age=31536000; SameSite=Lax")

        let later = try await site.get("/", language: "pt-BR", cookie: "lang=el")
        #expect(later.text.contains(#"<html lang="el">"#))
        #expect(later.headers[.setCookie] == nil)
        #expect(try await site.get("/?lang=el", cookie: "lang=el").headers[.setCookie] == nil)
    }

    @Test func `the address wins over the memory`() async throws {
        let page = try await site.get("/?lang=pt-BR", cookie: "lang=el")

        #expect(page.text.contains(#"<html lang="pt-BR">"#))
        #expect(page.headers[.setCookie]?.hasPrefix("lang=pt-BR;") == true)
    }

    @Test(arguments: ["/?lang=de", "/?lang=%0D%0ASet-Cookie:%20a=b", "/", "/style.css?lang=el"])
    func `nothing else is remembered`(_ path: String) async throws {
        #expect(try await site.get(path).headers[.setCookie] == nil)
    }

    @Test func `an unknown remembered language counts as none`() async throws {
        let page = try await site.get("/", language: "el", cookie: "lang=de")

        #expect(page.text.contains(#"<html lang="el">"#))
    }
}
