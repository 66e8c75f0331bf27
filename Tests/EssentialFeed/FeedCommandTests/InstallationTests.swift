import FeedTesting
import Foundation
import TestSupport
import Testing

/// The installation of the program with its manual page and its completions.
@Suite(.serialized, .timeLimit(.minutes(5))) struct InstallationTests {
    private static let files = [
        "bin/feed", "share/man/man1/feed.1", "share/bash-completion/completions/feed",
        "share/zsh/site-functions/_feed", "share/fish/vendor_completions.d/feed.fish",
    ]

    private let directory: TemporaryDirectory
    private var home: URL { directory.url }

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// Runs a program of the system with the test's variables.
    private func run(_ program: String, _ arguments: [String]) async throws -> FeedProcess.Result {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        return try await FeedProcess(
            arguments,
            home: home,
            environment: ["PATH": path, "PREFIX": "/usr", "DESTDIR": home.appending(path: "stage").path],
            program: URL(filePath: program)
        ).finish()
    }

    private func script(_ name: String, _ arguments: String...) async throws -> FeedProcess.Result {
        try await run("/bin/bash", [projectFile("scripts/\(name)").path] + arguments)
    }

    private func installed(_ file: String) -> URL {
        home.appending(path: "stage/usr/\(file)")
    }

    @Test func `an installation has the program, its photographs, a manual and completions, and can be removed`()
        async throws
    {
        let installation = try await script("install.sh", "install", builtExecutable("feed").path)
        #expect(installation.status == 0, "\(installation.error)")
        for file in Self.files {
            #expect(FileManager.default.fileExists(atPath: installed(file).path), "\(file)")
        }
        let version = try await FeedProcess(["--version"], home: home, program: installed("bin/feed")).finish()
        #expect(version.output == "0.1.0\n")
        let samples = installed("libexec/essential-feed/duet_FeedBackend.resources/samples/feed.json")
        #expect(FileManager.default.fileExists(atPath: samples.path))

        let removal = try await script("install.sh", "uninstall")
        #expect(removal.status == 0, "\(removal.error)")
        let rest = FileManager.default.enumerator(at: installed(""), includingPropertiesForKeys: [.isDirectoryKey])
        let files = (rest?.allObjects as? [URL] ?? []).filter { !$0.hasDirectoryPath }
        #expect(files == [])
    }

    @Test(arguments: [["install", "/bin/true"], ["uninstall"]])
    func `another program of this name is left unchanged`(arguments: [String]) async throws {
        let program = installed("bin/feed")
        try FileManager.default.createDirectory(
            at: program.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        try Data("another program".utf8).write(to: program)

        let result = try await run("/bin/bash", [projectFile("scripts/install.sh").path] + arguments)

        #expect(result.status == 1)
        #expect(result.error.contains("\(program.path) is another program. It is left unchanged."))
        #expect(try Data(contentsOf: program) == Data("another program".utf8))
    }

    @Test func `the manual describes every command`() async throws {
        let manual = try await script("manual.sh", builtExecutable("feed").path)
        #expect(manual.status == 0, "\(manual.error)")
        for heading in ["NAME", "SYNOPSIS", "DESCRIPTION", "EXAMPLES", "ENVIRONMENT", "EXIT CODES", "COMMANDS"] {
            #expect(manual.output.contains("\n.SH \(heading)\n"))
        }
        for command in ["demo", "image", "reply", "token create", "cache remove\\-invalid", "completions"] {
            #expect(manual.output.contains("\n.SS feed \(command)\n"), "\(command)")
        }
        #expect(manual.output.contains("\n\\fB\\-\\-require\\-fresh\\fR\n"))
    }

    @Test(arguments: [("bash", "complete "), ("zsh", "#compdef feed"), ("fish", "complete -c 'feed'")])
    func `each shell has completions of commands and options`(shell: String, start: String) async throws {
        let result = try await FeedCommand.run("completions", shell, home: home)
        #expect(result.status == 0)
        #expect(result.output.contains(start))
        for word in ["publish", "require-fresh", "remove-invalid"] { #expect(result.output.contains(word)) }
    }

    @Test func `bash completes a command`() async throws {
        let script = home.appending(path: "completions")
        try Data(try await FeedCommand.run("completions", "bash", home: home).output.utf8).write(to: script)
        let result = try await run(
            "/bin/bash",
            [
                "-c",
                """
                source "$1"; COMP_WORDS=(feed pub); COMP_CWORD=1; COMP_LINE="feed pub"; COMP_POINT=8
                _feed feed pub feed; printf '%s\\n' "${COMPREPLY[@]}"
                """,
                "bash", script.path,
            ]
        )
        #expect(result.output.trimmingCharacters(in: .whitespacesAndNewlines) == "publish", "\(result.error)")
    }
}
