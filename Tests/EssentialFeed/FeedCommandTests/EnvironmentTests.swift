import FeedComposition
import FeedTesting
import Foundation
import Testing

/// The variables, standard input and the browser: everything around the program.
@Suite(.serialized, .timeLimit(.minutes(5))) struct EnvironmentTests {
    private let directory: TemporaryDirectory
    private var home: URL { directory.url }
    private let sample = "8112E60D-949B-5F7E-BDED-DBE3CABE2D36"

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test(
        arguments: [
            (["LANG": "pt_BR.UTF-8"], [], "Meu Feed"),
            (["LANG": "en_US.UTF-8", "LC_ALL": "el_GR.UTF-8"], [], "Το Feed μου"),
            (["LANG": "el", "LC_MESSAGES": "pt_BR"], [], "Meu Feed"),
            (["LANG": "el", "LC_ALL": ""], [], "Το Feed μου"),
            (["LANG": "el", "LC_ALL": "C.UTF-8"], [], "My Feed"), (["LANG": "el"], ["--language", "en"], "My Feed"),
        ] as [([String: String], [String], String)]
    )
    func `the language is that of the environment unless an option names it`(
        environment: [String: String],
        options: [String],
        title: String
    ) async throws {
        try await withServer(feedRouter(of: [StubItem("AAAAAAAA", "a cat")])) { remote in
            let arguments = ["load", "--remote", remote] + options
            let result = try await FeedCommand.run(arguments, home: home, environment: environment)
            #expect(result.output.hasPrefix(title + "\n"))
        }
    }

    @Test func `FEED_REMOTE is the server unless an option names one`() async throws {
        try await withServer(feedRouter(of: [StubItem("AAAAAAAA", "a cat")])) { remote in
            let found = try await FeedProcess(["load"], home: home, environment: ["FEED_REMOTE": remote]).finish()
            #expect(found.output.contains("a cat"))
            let arguments = ["load", "--require-fresh", "--remote", "http://127.0.0.1:1/"]
            let other = try await FeedProcess(arguments, home: home, environment: ["FEED_REMOTE": remote]).finish()
            #expect(other.status == 75)
        }
        let invalid = try await FeedProcess(["load"], home: home, environment: ["FEED_REMOTE": "ftp://a"]).finish()
        #expect(invalid.status == 64)
        #expect(invalid.error.hasPrefix("Error: FEED_REMOTE: 'ftp://a' is not an http or https address."))
    }

    @Test func `an image, a comment and a token may come from standard input`() async throws {
        let image = home.appending(path: "dot.gif")
        try StubItem.gif.write(to: image)
        let text = home.appending(path: "comment")
        try Data("So small!\n".utf8).write(to: text)
        let token = try await FeedCommand.run("token", "create", home: home).output
        let file = home.appending(path: "token")
        try Data(token.utf8).write(to: file)
        try await withBackend(home: home, seed: .samples) { remote in
            for (command, input) in [
                (["publish", "-"], image), (["reply", sample, "-", "--user", "me"], text),
                (["comments", sample], image), (["remove", sample, "--token-file", "-"], file),
            ] {
                let result = try await FeedProcess(
                    command + ["--remote", remote],
                    home: home,
                    redirection: "<\(input.path)",
                    token: command[0] == "publish" ? token : nil
                ).finish()
                #expect(result.status == 0, "\(result.error)")
                if command[0] == "comments" { #expect(result.output.contains("So small!")) }
            }
        }
    }

    @Test func `text on standard input is no image`() async throws {
        let result = try await FeedCommand.run("publish", "-", home: home)
        #expect(result.status == 1)
        #expect(result.error.hasPrefix("Error: Standard input is not a JPEG, PNG, GIF or WebP image."))
    }

    @Test func `a terminal is not read as an image`() async throws {
        let terminal = try PseudoTerminal(columns: 80)
        let result = try await FeedProcess(["publish", "-"], home: home, redirection: "<\(terminal.path)").finish()
        #expect(result.status == 1)
        #expect(result.error.hasPrefix("Error: Standard input is a terminal."))
        #expect(await terminal.finish() == "")
    }

    @Test func `the demo opens its page in the browser`() async throws {
        let opener = home.appending(path: "xdg-open")
        let opened = home.appending(path: "opened")
        try Data(
            "#!/bin/sh\nprintf '%s' \"$1\" >'\(opened.path).new' && mv '\(opened.path).new' '\(opened.path)'\n".utf8
        )
        .write(to: opener)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: opener.path)
        let demo = try FeedProcess(
            ["demo", "--web-port", "0", "--backend-port", "0", "--open"],
            home: home,
            environment: ["PATH": "\(home.path):/usr/bin:/bin"]
        )
        let page = try await demo.printed("Page:")
        while !FileManager.default.fileExists(atPath: opened.path) {
            try await ContinuousClock().sleep(for: .milliseconds(2))
        }
        #expect(try String(contentsOf: opened, encoding: .utf8) == page)
        demo.interrupt()
        #expect(try await demo.finish().status == 0)
    }

    @Test func `without a program to open the browser the page still runs`() async throws {
        let arguments = ["demo", "--originals-only", "--web-port", "0", "--backend-port", "0", "--open"]
        let demo = try FeedProcess(arguments, home: home, environment: ["PATH": home.path])
        _ = try await demo.printed("Press Ctrl-C")
        demo.interrupt()
        let result = try await demo.finish()
        #expect(result.status == 0)
        #expect(result.error.contains("The browser was not opened, because xdg-open is not installed."))
    }
}
