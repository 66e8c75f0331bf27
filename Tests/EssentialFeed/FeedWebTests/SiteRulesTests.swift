import FeedFeature
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

@Suite struct SiteRulesTests {
    private let site = Site { $0.feed = { _ in FeedPage(images: [image(1)], source: .remote) } }
    private let paths = [
        "/", "/feed?after=\(image(1).id)", "/images/\(image(1).id)", "/images/\(image(1).id)/data",
        "/style.css", "/page.js", "/writing.js", "/sw.js", "/icon.svg", "/offline",
    ]

    @Test func `every response forbids the browser what the page does not need`() async throws {
        let csp = try #require(HTTPField.Name("Content-Security-Policy"))
        let referrer = try #require(HTTPField.Name("Referrer-Policy"))
        for path in paths + ["/nothing", "/feed", "/images/x"] {
            let headers = try await site.get(path).headers

            #expect(headers[csp]?.hasPrefix("default-src 'none'; img-src 'self'; script-src 'self'") == true, "\(path)")
            #expect(headers[csp]?.contains("unsafe") == false, "\(path)")
            #expect(headers[.xContentTypeOptions] == "nosniff", "\(path)")
            #expect(headers[referrer] == "no-referrer", "\(path)")
        }
    }

    @Test func `no page has inline scripts or styles`() async throws {
        for path in ["/", "/images/\(image(1).id)", "/nothing", "/sign-in", "/offline"] {
            let text = try await site.get(path).text

            #expect(text.contains("<html"), "\(path)")
            #expect(!text.contains("<style") && !text.contains("style="), "\(path)")
            #expect(text.matches(of: /<script/).count == 1, "\(path)")
            #expect(!text.contains(/\son[a-z]+="/), "\(path)")
        }
    }

    @Test(arguments: [
        ("/style.css", "text/css; charset=utf-8"),
        ("/page.js", "text/javascript; charset=utf-8"),
        ("/sw.js", "text/javascript; charset=utf-8"),
        ("/icon.svg", "image/svg+xml"),
    ])
    func `all references of the pages exist`(_ path: String, _ type: String) async throws {
        let answer = try await site.get(path)

        #expect(answer.status == .ok)
        #expect(answer.headers[.contentType] == type)
        #expect(answer.body.readableBytes > 100)
    }

    @Test func `HEAD responds like GET, without a body`() async throws {
        for path in paths + ["/nothing"] {
            let get = try await site.get(path)
            let head = try await site.get(path, method: .head)

            #expect(head.status == get.status, "\(path)")
            #expect(head.headers[.contentType] == get.headers[.contentType], "\(path)")
            #expect(head.headers[.contentLength] == "\(get.body.readableBytes)", "\(path)")
            #expect(head.body.readableBytes == 0, "\(path)")
        }
    }

    @Test(arguments: [HTTPRequest.Method.post, .put, .delete, .patch, .options])
    func `other methods are not allowed`(_ method: HTTPRequest.Method) async throws {
        for path in paths {
            let answer = try await site.get(path, method: method)

            #expect(answer.status == .methodNotAllowed, "\(path)")
            #expect(answer.headers[.allow] == "GET, HEAD", "\(path)")
        }
        #expect(site.messages.isEmpty)
    }

    @Test(arguments: [
        ("en", "There is nothing here"),
        ("el", "Δεν υπάρχει τίποτα εδώ"),
        ("pt-BR", "Não há nada aqui"),
    ])
    func `an unknown path is a page that says so`(_ language: String, _ message: String) async throws {
        let page = try await site.get("/nothing/here", language: language)

        #expect(page.status == .notFound)
        #expect(page.text.contains(message))
        #expect(page.text.contains(#"<html lang="\#(language)">"#))
    }

    @Test(
        arguments: [
            ("/", "pt-BR,pt;q=0.9", "pt-BR", "Meu Feed"),
            ("/", "el-GR", "el", "Το Feed μου"),
            ("/", "de", "en", "My Feed"),
            ("/", nil, "en", "My Feed"),
            ("/?lang=el", "pt-BR", "el", "Το Feed μου"),
            ("/?lang=pt-BR", nil, "pt-BR", "Meu Feed"),
            ("/?lang=de", "el", "el", "Το Feed μου"),
        ] as [(String, String?, String, String)]
    )
    func `the language is the address's, else the browser's, else English`(
        _ path: String,
        _ header: String?,
        _ tag: String,
        _ title: String
    ) async throws {
        let page = try await site.get(path, language: header)

        #expect(page.text.contains(#"<html lang="\#(tag)">"#))
        #expect(page.text.contains("<h1>\(title)</h1>"))
        #expect(page.headers[.vary] == "Accept-Language, Cookie, Accept-Encoding")
    }

    @Test func `links keep the language of the address and nothing else`() async throws {
        let chosen = try await site.get("/?lang=el").text
        let preferred = try await site.get("/", language: "el").text

        #expect(chosen.contains(#"<a href="/images/\#(image(1).id)?lang=el">"#))
        #expect(chosen.matches(of: /<input type="hidden" name="lang" value="el">/).count == 3)
        #expect(preferred.contains(#"<a href="/images/\#(image(1).id)">"#))
        #expect(!preferred.contains(#"name="lang""#))
    }

    @Test(arguments: ["//evil.example/x", "///evil.example/x", "/%2F/evil.example"])
    func `no link on a page leads to another site`(_ path: String) async throws {
        let page = try await site.get(path)
        #expect(page.status == .notFound)
        #expect(!page.text.contains(#"href="//"#))
        #expect(!page.text.contains(#"value="//"#))
        #expect(!page.text.contains("return=%2F%2F"))
    }

    @Test func `a redirect to comments stays on this site`() async throws {
        let answer = try await site.get("//images/\(image(1).id)/comments")
        #expect(answer.status == .seeOther)
        #expect(answer.headers[.location] == "/images/\(image(1).id)#comments")
    }

    @Test(arguments: [("https://feed.example/", "max-age=31536000"), ("http://feed.example/", nil), (nil, nil)])
    func `browsers use only https for a public address with https`(address: String?, value: String?) async throws {
        for path in ["/", "/icon.svg", "/nothing"] {
            let page = try await site.get(path, publicURL: address.flatMap { URL(string: $0) })
            #expect(page.headers[.strictTransportSecurity] == value)
        }
    }
}
