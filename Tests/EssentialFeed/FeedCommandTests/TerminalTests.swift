import FeedTesting
import Foundation
import Synchronization
import Testing

/// The program's output in a terminal: color, pictures, tables and progress.
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

    @Test func `progress is one line that disappears`() async throws {
        try await withServer(feedRouter(of: items)) { remote in
            let result = try await feed("load", "--remote", remote, "--color", "never", columns: 30)
            let parts = result.text.split(separator: "\r\u{1B}[K", maxSplits: 1).map(String.init)
            #expect(parts.first == "\rLoading images ███░░░░░░░ 1/3\u{1B}[K\rLoading images ██████░░░░ 2/3\u{1B}[K")
            #expect(parts.last?.hasPrefix("My Feed\r\n") == true)
        }
    }

    @Test(arguments: [(["-q"], [:]), ([], ["TERM": "dumb"])] as [([String], [String: String])])
    func `a quiet program or a dumb terminal shows no progress`(
        options: [String],
        environment: [String: String]
    ) async throws {
        try await withServer(feedRouter(of: items)) { remote in
            let terminal = try PseudoTerminal(columns: 80)
            let process = try FeedProcess(
                ["load", "--remote", remote] + options,
                home: directory.url,
                redirection: terminal.redirection,
                environment: environment
            )
            #expect(try await process.finish().status == 0)
            let text = await terminal.finish()
            #expect(!text.contains("Loading"))
            #expect(text.contains("Café"))
            #expect(text.contains("From the server.") == options.isEmpty)
        }
    }

    @Test func `an interruption clears the progress`() async throws {
        let requests = Mutex(0)
        let (isOver, end) = AsyncStream.makeStream(of: Never.self)
        let router = feedRouter(of: items) {
            let isFirst = requests.withLock { count in
                count += 1
                return count == 1
            }
            // The second and the third image never arrive.
            if !isFirst { for await _ in isOver {} }
            return StubItem.png
        }
        try await withServer(router) { remote in
            let terminal = try PseudoTerminal(columns: 80)
            let process = try FeedProcess(
                ["load", "--remote", remote],
                home: directory.url,
                redirection: terminal.redirection
            )
            try await terminal.wait { $0.contains("1/3") }
            process.interrupt()
            #expect(try await process.finish().status == SIGINT)
            #expect(await terminal.finish().hasSuffix("1/3\u{1B}[K\r\u{1B}[K"))
            end.finish()
        }
    }

    @Test(arguments: [
        ["TERM_PROGRAM": "iTerm.app"], ["TERM_PROGRAM": "WezTerm"], ["TERM_PROGRAM": "vscode"],
        ["LC_TERMINAL": "iTerm2"], ["KONSOLE_VERSION": "230802"],
    ])
    func `a terminal with inline images shows pictures`(environment: [String: String]) async throws {
        try await withServer(feedRouter(of: items) { StubItem.gif }) { remote in
            let list = try await feed("load", "--remote", remote, environment: environment)
            #expect(list.text.ranges(of: "\u{1B}]1337;File=inline=1;size=\(StubItem.gif.count);height=6;").count == 3)
            #expect(list.text.contains("Café"))
            #expect(list.text.contains(items[2].id), "in full, because there is no table")
            let image = try await feed("image", "cccc", "--remote", remote, environment: environment)
            #expect(image.status == 0)
            #expect(image.text.contains(":\(StubItem.gif.base64EncodedString())\u{07}"))
        }
    }

    @Test func `kitty shows PNG pictures only`() async throws {
        let kitty = ["KITTY_WINDOW_ID": "1"]
        try await withServer(feedRouter(of: items)) { remote in
            let png = try await feed("image", "aaaa", "--remote", remote, environment: kitty)
            #expect(png.text.contains("\u{1B}_Ga=T,f=100,q=2,r=20,m=0;\(StubItem.png.base64EncodedString())\u{1B}\\"))
        }
        try await withServer(feedRouter(of: items) { StubItem.gif }) { remote in
            let gif = try await feed("load", "--remote", remote, environment: kitty)
            #expect(!gif.text.contains("\u{1B}_G"))
            #expect(gif.text.contains("IMAGE"))
        }
    }

    @Test(arguments: [
        [:], ["TERM_PROGRAM": "Apple_Terminal"], ["TERM_PROGRAM": "iTerm.app", "TMUX": "/tmp/tmux"],
        ["TERM_PROGRAM": "iTerm.app", "TERM": "dumb"], ["KONSOLE_VERSION": "210400"],
    ])
    func `another terminal shows texts, and says how to see the picture`(environment: [String: String]) async throws {
        try await withServer(feedRouter(of: items)) { remote in
            let image = try await feed("image", "cccc", "--remote", remote, environment: environment)
            #expect(image.status == 0)
            #expect(image.text.contains("Café"))
            #expect(image.text.contains("write it to a file with --output"))
            #expect(!image.text.contains("1337"))
        }
    }

    @Test func `a pipe has no pictures unless they are forced, and an option disables them`() async throws {
        let iTerm = ["TERM_PROGRAM": "iTerm.app"]
        try await withServer(feedRouter(of: items)) { remote in
            for (option, isShown) in [("auto", false), ("always", true), ("never", false)] {
                let arguments = ["load", "--remote", remote, "--images", option]
                let piped = try await FeedProcess(arguments, home: directory.url, environment: iTerm).finish()
                #expect(piped.output.contains("\u{1B}]1337;") == isShown)
            }
            let off = try await feed("load", "--remote", remote, "--images", "never", environment: iTerm)
            #expect(!off.text.contains("1337"))
        }
    }
}
