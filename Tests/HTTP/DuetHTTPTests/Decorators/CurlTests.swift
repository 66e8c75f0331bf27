import DuetHTTP
import DuetTesting
import Foundation
import HTTPTypes
import Testing

@Suite
struct CurlTests {
    @Test func `a request is one line of curl`() {
        let line = request(.put, "https://api.example/a", [.accept: "text/html", .contentType: "text/plain"])
            .curl(body: Data("it's".utf8))
        #expect(
            line == """
                curl --request 'PUT' --globoff 'https://api.example/a' --header 'Accept: text/html' \
                --header 'Content-Type: text/plain' --data-raw 'it'\\''s'
                """
        )
        #expect(request(.head).curl() == "curl --head --globoff 'https://api.example/a'")
        #expect(request(.post).curl(body: Data()).hasSuffix("--header Content-Type: --data-raw ''"))
    }

    @Test(arguments: [
        "Authorization", "COOKIE", "set-cookie", "Proxy-Authorization", "X-API-Key", "api-key", "X-Auth-Token",
        "X-Mine",
    ])
    func `secrets are redacted, whatever the case of their names`(name: String) throws {
        let mine = try #require(HTTPField.Name("x-mine"))
        var original = request(.get, "https://me:s3cret@api.example/a?token=s3cret&page=2&s3cret#s3cret")
        original.headerFields[try #require(HTTPField.Name(name))] = "Bearer s3cret"
        let line = original.curl(secrets: [mine], openQueryItems: ["page"])
        #expect(!line.contains("s3cret"))
        #expect(line.contains("'https://api.example/a?token=REDACTED&page=2&REDACTED'"))
        #expect(line.contains("'\(name): REDACTED'"))
    }

    @Test func `an accent does not hide the mark that begins a query or fragment`() {
        let original = request(.get, "https://me:s3cret@\u{301}api.example/a?\u{301}token=s3cret&b=\u{301}s3cret")
        #expect(!original.curl().contains("s3cret"))
        #expect(!original.loggableURL.contains("s3cret"))
    }

    @Test(arguments: [(4_096, true), (4_097, false)])
    func `a large body is left out`(size: Int, isShown: Bool) {
        let line = request(.post).curl(body: Data(repeating: 0x61, count: size))
        #expect(line.contains("--data-raw 'aaa") == isShown)
        #expect(line.hasSuffix("--data-binary @body") != isShown)
    }

    @Test(arguments: [[0x61, 0xFF], [0x61, 0x00, 0x62], [0x00]])
    func `a body that does not fit in a shell word is left out`(bytes: [UInt8]) throws {
        let line = request(.post).curl(body: Data(bytes))
        #expect(line.hasSuffix("--data-binary @body"))
        #expect(try words(line).last == "@body")
    }

    @Test(arguments: 1...5 as ClosedRange<UInt64>)
    func `a shell reads back the written words, and the line stays one line`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let parts: [String] = [
            "'", "\"", "\\", "$(id)", "`id`", "\n", "\r\n", "\t", "!", "*", "ü", "🌍", "\u{202E}", "\u{1B}[31m",
            "\u{85}",
            "1", "@", ";", "&", "|", "\u{2028}", "x", "\u{301}",
        ]
        for _ in 1...20 {
            let text = (1...Int.random(in: 1...12, using: &generator)).compactMap { _ in
                parts.randomElement(using: &generator)
            }.joined()
            let line = request(.post, "https://api.example/a", [.contentType: "text/plain"]).curl(body: Data(text.utf8))
            #expect(!line.unicodeScalars.contains { $0.properties.generalCategory == .control }, "seed \(seed)")
            #expect(try words(line).last == text, "seed \(seed)")
        }
    }

    /// The words that bash parses from a line.
    private func words(_ line: String) throws -> [String] {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/bash")
        process.arguments = ["-c", "printf '%s\\0' \(line)"]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return output.split(separator: 0, omittingEmptySubsequences: false).dropLast().map {
            String(decoding: $0, as: UTF8.self)
        }
    }
}
