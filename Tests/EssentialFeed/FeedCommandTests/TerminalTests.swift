import FeedTesting
import Foundation
import Testing

/// The program's output in a terminal: color, tables and progress.
@Suite(.serialized, .timeLimit(.minutes(5))) struct TerminalTests {
    private let directory: TemporaryDirectory
    private let items = [
        StubItem("AAAAAAAA", "日本の猫"), StubItem("BBBBBBBB", "👩‍🚀 in space ❤️"), StubItem("CCCCCCCC", "Café"),
    ]

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// Runs the program in a terminal, and returns its status and all of its output.
    private func feed(
        _ arguments: String...,
        columns: UInt16 = 80,
        environment: [String: String] = [:]
    ) async throws -> (status: Int32, text: String) {
        let terminal = try PseudoTerminal(columns: columns)
        let process = try FeedProcess(
            arguments,
            home: directory.url,
            redirection: terminal.redirection,
            environment: environment
        )
        let status = try await process.finish().status
        return (status, await terminal.finish())
    }

    @Test func `wide characters and emoji are aligned, and ids are short`() async throws {
        try await withServer(feedRouter(of: items)) { remote in
            let result = try await feed("load", "--remote", remote, "--color", "never", "--quiet")
            #expect(result.status == 0)
            #expect(
                result.text.split(separator: "\r\n") == [
                    "My Feed", "IMAGE           ID", "日本の猫        AAAAAAAA", "👩‍🚀 in space ❤️  BBBBBBBB",
                    "Café            CCCCCCCC",
                ]
            )
        }
    }

    @Test func `a table is as wide as the terminal`() async throws {
        let items = [StubItem("AAAAAAAA", "猫猫猫猫猫猫猫猫猫猫猫猫猫猫"), StubItem("BBBBBBBB", "A cat on a long wooden table")]
        try await withServer(feedRouter(of: items)) { remote in
            let result = try await feed("load", "--remote", remote, "--color", "never", "-q", columns: 32)
            #expect(
                result.text.split(separator: "\r\n").suffix(2) == [
                    "猫猫猫猫猫猫猫猫猫猫…   AAAAAAAA", "A cat on a long woode…  BBBBBBBB",
                ]
            )
        }
    }

    @Test func `ids with the same beginning are long enough to differ`() async throws {
        let items = [StubItem("AAAAAAAA", "a"), StubItem(id: "AAAAAAAA-0000-4000-8000-0000000000AB", "b")]
        try await withServer(feedRouter(of: items)) { remote in
            let result = try await feed("load", "--remote", remote, "-q")
            #expect(result.text.contains("AAAAAAAA-0000-4000-8000-0000000000AA"))
            #expect(result.text.contains("AAAAAAAA-0000-4000-8000-0000000000AB"))
        }
    }

    @Test(
        arguments: [
            ([:], [], true), (["NO_COLOR": "1"], [], false), (["NO_COLOR": ""], [], true),
            (["TERM": "dumb"], [], false),
            ([:], ["--color", "never"], false), (["NO_COLOR": "1"], ["--color=always"], true),
        ] as [([String: String], [String], Bool)]
    )
    func `a terminal has color unless it is switched off`(
        environment: [String: String],
        options: [String],
        isColored: Bool
    ) async throws {
        let terminal = try PseudoTerminal(columns: 80)
        let process = try FeedProcess(
            ["graph"] + options,
            home: directory.url,
            redirection: terminal.redirection,
            environment: environment
        )
        #expect(try await process.finish().status == 0)
        #expect(await terminal.finish().contains("\u{1B}[1mpage\u{1B}[0m") == isColored)
    }

    @Test(
        arguments: [
            ([:], [], false), (["CLICOLOR_FORCE": "1"], [], true), (["CLICOLOR_FORCE": "0"], [], false),
            (["CLICOLOR_FORCE": "1", "NO_COLOR": "1"], [], false), ([:], ["--color", "always"], true),
            (["CLICOLOR_FORCE": "1"], ["--color", "never"], false),
        ] as [([String: String], [String], Bool)]
    )
    func `a pipe has no color unless it is forced`(
        environment: [String: String],
        options: [String],
        isColored: Bool
    ) async throws {
        let process = try FeedProcess(["graph"] + options, home: directory.url, environment: environment)
        #expect(try await process.finish().output.contains("\u{1B}[1mpage\u{1B}[0m") == isColored)
    }

    @Test func `an error is red`() async throws {
        let result = try await feed("load", "--limit", "0")
        #expect(result.status == 64)
        #expect(result.text.hasPrefix("\u{1B}[1;31mError:\u{1B}[0m --limit must be 1 to 100, not 0."))
    }

    @Test func `work that takes a while is announced`() async throws {
        try await withServer(feedRouter(of: items)) { remote in
            let result = try await feed("load", "--remote", remote, "--color", "never")
            #expect(result.text.hasPrefix("Loading images: 0 of 3\r\nMy Feed\r\n"))
        }
    }

    @Test func `a quiet program announces nothing`() async throws {
        try await withServer(feedRouter(of: items)) { remote in
            let result = try await feed("load", "--remote", remote, "-q", "--color", "never")
            #expect(result.status == 0)
            #expect(result.text.hasPrefix("My Feed\r\n"))
            #expect(!result.text.contains("From the server."))
        }
    }

    @Test func `an image is shown by its texts, with the way to see its picture`() async throws {
        try await withServer(feedRouter(of: items)) { remote in
            let image = try await feed("image", "cccc", "--remote", remote)
            #expect(image.status == 0)
            #expect(image.text.contains("Café"))
            #expect(image.text.contains("write it to a file with --output"))
        }
    }
}
