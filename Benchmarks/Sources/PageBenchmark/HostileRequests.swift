import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Rounds

/// Sends anonymous requests that are made to be slow, and compares the slowest with an ordinary page.
struct HostileRequests {
    let page: URL
    let backend: URL

    private struct Attack {
        let name: String
        var method = HTTPMethod.GET
        var path: String
        var fields: [(String, String)] = []
        var body = ""
        var isForBackend = false
    }

    func measure() async throws {
        let client = HTTPClient(
            eventLoopGroupProvider: .singleton,
            configuration: HTTPClient.Configuration(redirectConfiguration: .disallow)
        )
        do {
            let image = try await LivePages(page: page, count: 1).firstImage(client)
            let ordinary = Measured("ordinary") { try await send(Attack(name: "ordinary", path: "/"), client) }
            let attacks = Self.attacks(on: image)
            let rounds = try await Rounds(
                7,
                [ordinary]
                    + attacks.map { attack in
                        Measured(attack.name) { try await send(attack, client) }
                    }
            )
            let times = attacks.map { (name: $0.name, time: rounds[$0.name]) }.sorted { $0.time > $1.time }
            let base = rounds["ordinary"]
            print("An ordinary page takes \(base.text()) ms. The slowest of \(attacks.count) hostile requests:")
            for (name, time) in times.prefix(5) { print("\(time.text()) ms: \(name)") }
            let slowest = times.first?.time ?? .nan
            printFigure("the slowest hostile request / an ordinary page", slowest / base, atMost: 20)
            try await client.shutdown()
        } catch {
            try await client.shutdown()
            throw error
        }
    }

    private func send(_ attack: Attack, _ client: HTTPClient) async throws {
        let base = attack.isForBackend ? backend : page
        var request = HTTPClientRequest(url: base.absoluteString + attack.path)
        request.method = attack.method
        for (name, value) in attack.fields { request.headers.add(name: name, value: value) }
        if !attack.body.isEmpty { request.body = .bytes(ByteBuffer(string: attack.body)) }
        let response = try await client.execute(request, timeout: .seconds(60))
        _ = try await response.body.collect(upTo: 64 << 20)
    }

    private static let marks = String(repeating: "\u{301}", count: 3_000) + String(repeating: "\u{316}", count: 3_000)
    private static let manyMarks = String(repeating: "\u{301}\u{316}", count: 16_000)
    private static let form = [
        ("Content-Type", "application/x-www-form-urlencoded"), ("Sec-Fetch-Site", "same-origin"),
    ]
    private static let parts = [
        ("Content-Type", "multipart/form-data; boundary=B"), ("Sec-Fetch-Site", "same-origin"),
    ]
    private static let json = [("Content-Type", "application/json")]

    private static func attacks(on image: String) -> [Attack] {
        let encoded = "%CC%81%CC%96"
        func many(_ text: String, _ bytes: Int = 65_000) -> String {
            String(repeating: text, count: bytes / text.utf8.count)
        }
        var attacks = [
            Attack(name: "marks in a cookie's name", path: "/", fields: [("Cookie", "a\(marks)=1")]),
            Attack(name: "many cookies", path: "/", fields: [("Cookie", many("a=1; ", 12_000))]),
            Attack(name: "marks in Accept-Language", path: "/", fields: [("Accept-Language", marks)]),
            Attack(name: "many languages", path: "/", fields: [("Accept-Language", many("aa;q=0.1,", 12_000))]),
            Attack(name: "many entity tags", path: "/style.css", fields: [("If-None-Match", many("\"a\", ", 12_000))]),
            Attack(name: "encoded marks in a search", path: "/?q=a" + many(encoded, 12_000)),
            Attack(name: "words of one letter in a search", path: "/?q=" + many("a+", 200)),
            Attack(name: "wildcards in a search", path: "/?q=" + many("%25_", 200)),
            Attack(name: "many parameters", path: "/?" + many("a&", 12_000)),
            Attack(name: "a long path", path: "/" + many("a/", 12_000)),
            Attack(name: "an encoded path", path: "/" + many("%2F", 12_000)),
        ]
        for path in ["/sign-in", "/publish"] {
            attacks += [
                Attack(name: "many fields, \(path)", method: .POST, path: path, fields: form, body: many("a&")),
                Attack(
                    name: "encoded marks in a field's name, \(path)",
                    method: .POST,
                    path: path,
                    fields: form,
                    body: "a" + many(encoded) + "=1"
                ),
                Attack(
                    name: "marks in a field's name, \(path)",
                    method: .POST,
                    path: path,
                    fields: form,
                    body: manyMarks
                ),
                Attack(
                    name: "many delimiters, \(path)",
                    method: .POST,
                    path: path,
                    fields: parts,
                    body: many("--B\r\n")
                ),
                Attack(name: "many line ends, \(path)", method: .POST, path: path, fields: parts, body: many("\r")),
                Attack(
                    name: "a file of 16 MB, \(path)",
                    method: .POST,
                    path: path,
                    fields: parts,
                    body: "--B\r\nContent-Disposition: form-data; name=file; filename=a\r\n\r\n" + many("\r", 16 << 20)
                ),
            ]
        }
        let post = "/v1/image/\(image)/comments"
        for (name, body) in [
            ("marks in a member's name", "{\"a\(manyMarks)\":1}"),
            ("escaped marks in a member's name", "{\"" + many("\\u0301\\u0316", 60_000) + "\":1}"),
            ("arrays in arrays", many("[")),
            ("many members", "{" + (0..<6_000).map { "\"\($0)\":1" }.joined(separator: ",") + "}"),
            ("a long number", many("1")),
            ("a message of quotes", "{\"message\":\"" + many("\\\"", 60_000) + "\"}"),
        ] {
            attacks.append(
                Attack(name: name, method: .POST, path: post, fields: json, body: body, isForBackend: true)
            )
        }
        attacks += [
            Attack(
                name: "an image of 16 MB without a token",
                method: .PUT,
                path: "/v1/image/\(UUID())",
                fields: [("Content-Type", "image/jpeg")],
                body: many("\u{0}", 16 << 20),
                isForBackend: true
            ),
            Attack(name: "marks in a token", path: "/v1/feed", fields: [("Authorization", marks)], isForBackend: true),
            Attack(name: "a long cursor", path: "/v1/feed?after_id=" + many("a", 12_000), isForBackend: true),
            Attack(name: "wildcards", path: "/v1/feed/search?q=" + many("%25_", 200), isForBackend: true),
        ]
        return attacks
    }
}
