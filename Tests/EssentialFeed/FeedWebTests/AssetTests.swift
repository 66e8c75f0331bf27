import FeedFeature
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing

@Suite struct AssetTests {
    private let site = Site {
        $0.cached = { [image(1)] }
    }

    @Test(arguments: ["/style.css", "/page.js", "/writing.js", "/sw.js", "/icon.svg"])
    func `a browser that has a file gets 304 without it`(_ path: String) async throws {
        let first = try await site.get(path)
        let tag = try #require(first.headers[.eTag])
        #expect(first.headers[.cacheControl] == "no-cache")
        for known in [tag, String(tag.trimmingPrefix("W/")), "\"other\", \(tag)", "*"] {
            let second = try await get(path, [.ifNoneMatch: known])
            #expect(second.status == .notModified, "\(known)")
            #expect(second.headers[.eTag] == tag)
            #expect(second.body.readableBytes == 0)
        }
        let other = try await get(path, [.ifNoneMatch: "\"other\""])
        #expect(other.status == .ok)
        #expect(other.body == first.body)
    }

    @Test(arguments: ["/style.css", "/page.js", "/writing.js", "/sw.js", "/icon.svg"])
    func `a browser that accepts gzip gets a file compressed, with the tag of the other form`(
        _ path: String
    ) async throws {
        let whole = try await site.get(path)
        let packed = try await get(path, [.acceptEncoding: "gzip, deflate, br"])
        #expect(packed.headers[.contentEncoding] == "gzip")
        #expect(packed.headers[.eTag] == whole.headers[.eTag])
        #expect(packed.body.readableBytes < whole.body.readableBytes)
        #expect(whole.headers[.contentEncoding] == nil)
        for response in [whole, packed] { #expect(response.headers[values: .vary] == ["Accept-Encoding"]) }
    }

    @Test func `the feed is compressed below 16 kB, in all languages`() async throws {
        let site = Site { $0.feed = { _ in FeedPage(images: (1...12).map { image($0) }, source: .remote) } }
        for language in ["en", "el", "pt-BR"] {
            let page = try await site.application().test(.router) { client in
                let fields: HTTPFields = [.acceptEncoding: "gzip", .acceptLanguage: language]
                return try await client.execute(uri: "/", method: .get, headers: fields) { $0 }
            }
            #expect(page.headers[.contentEncoding] == "gzip")
            #expect(page.body.readableBytes <= 16_000)
        }
    }

    @Test func `the script stays below 22 kB, the others below 9.2 kB, and pages below 60 kB`() async throws {
        #expect(try await site.get("/page.js").body.readableBytes <= 22_000)
        #expect(try await site.get("/sw.js").body.readableBytes <= 9_200)
        #expect(try await site.get("/writing.js").body.readableBytes <= 9_000)
        let first = Site { $0.feed = { _ in FeedPage(images: (1...10).map { image($0) }, source: .remote) } }
        for language in ["en", "el", "pt-BR"] {
            #expect(try await first.get("/", language: language).body.readableBytes <= 60_000)
            let path = "/images/\(image(1).id)"
            #expect(try await site.get(path, language: language).body.readableBytes <= 60_000)
        }
    }

    @Test(arguments: ["/page.js", "/writing.js", "/sw.js", "/style.css"])
    func `browsers get scripts and styles without comment lines and indentation`(_ path: String) async throws {
        let lines = try await site.get(path).text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()

        #expect(lines.count > 100)
        #expect(lines.filter { $0.isEmpty || $0.first?.isWhitespace == true } == [])
        #expect(lines.filter { $0.hasPrefix("//") || $0.hasPrefix("/*") && $0.hasSuffix("*/") } == [])
    }

    @Test func `no text of a script contains a line break whose indentation would be lost`() async throws {
        for path in ["/page.js", "/writing.js", "/sw.js"] {
            let lines = try await site.get(path).text.split(separator: "\n")

            #expect(lines.filter { !$0.count(where: { $0 == "`" }).isMultiple(of: 2) || $0.hasSuffix("\\") } == [])
        }
    }

    @Test func `the borders of controls have a contrast of at least 3 to 1, light and dark`() async throws {
        let style = try await site.get("/style.css").text
        func colors(_ name: String) throws -> [String] {
            let match = try #require(
                style.firstMatch(of: try Regex("--\(name): light-dark\\((#[0-9a-f]+), (#[0-9a-f]+)\\)"))
            )
            return [1, 2].compactMap { match.output[$0].substring.map(String.init) }
        }
        for (control, (ground, surface)) in try zip(colors("control"), zip(colors("ground"), colors("surface"))) {
            for background in [ground, surface] {
                #expect(contrast(control, background) >= 3, "\(control) on \(background)")
            }
        }
        for (text, ground) in try zip(colors("danger"), colors("ground")) {
            #expect(contrast(text, ground) >= 4.5, "\(text) on \(ground)")
        }
    }

    @Test func `images shimmer only while the script can end it, and readers may turn motion off`() async throws {
        let style = try await site.get("/style.css").text
        let rules = style.components(separatedBy: "}").filter { $0.contains("shimmer 1.6s") }
        #expect(rules.count == 1)
        #expect(rules.allSatisfy { $0.contains(".scripted .frame") })
        #expect(style.contains("@media (prefers-reduced-motion: reduce)"))
        #expect(style.contains("@media print"))
    }

    private func get(_ path: String, _ fields: HTTPFields) async throws -> TestResponse {
        try await site.application().test(.router) { client in
            try await client.execute(uri: path, method: .get, headers: fields) { $0 }
        }
    }

    /// The contrast of two colors (WCAG 2.2, section 1.4.3).
    private func contrast(_ first: String, _ second: String) -> Double {
        let (low, high) = (min(luminance(first), luminance(second)), max(luminance(first), luminance(second)))
        return (high + 0.05) / (low + 0.05)
    }

    private func luminance(_ color: String) -> Double {
        let bits = Int(color.dropFirst(), radix: 16) ?? 0
        let parts = [16, 8, 0].map { shift in
            let share = Double(bits >> shift & 0xFF) / 255
            return share <= 0.03928 ? share / 12.92 : pow((share + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
    }
}
