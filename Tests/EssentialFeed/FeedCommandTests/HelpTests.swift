import ArgumentParser
import FeedTesting
import Foundation
import Testing
import feed

/// The help of the program and of its commands.
struct HelpTests {
    @Test(arguments: Feed.commandNames)
    func `every command explains itself`(command: String) throws {
        var request = try Feed.parseAsRoot([command, "--help"])
        let error = #expect(throws: (any Error).self) { try request.run() }
        #expect(error.map { Feed.exitCode(for: $0) } == .success)
        let help = error.map { Feed.fullMessage(for: $0) } ?? ""
        #expect(help.contains("OVERVIEW: "))
        #expect(help.contains("USAGE: feed \(command)"))
        #expect(help.contains("EXAMPLES:\n  feed \(command)") || help.contains("EXAMPLES:\n  export FEED_TOKEN="))
    }

    @Test func `without a command the program lists all of them`() async throws {
        let result = try await FeedProcess.run(home: TemporaryDirectory().url)
        #expect(result.status == 0)
        #expect(Feed.commandNames.count == 19)
        for command in Feed.commandNames { #expect(result.output.contains("\n  \(command) ")) }
        for group in ["TRY", "READ", "WRITE", "RUN", "INSPECT"] {
            #expect(result.output.contains("\n\(group) SUBCOMMANDS:\n"))
        }
        for line in ["0   success", "1   ", "64  ", "69  ", "75  ", "77  "] {
            #expect(result.output.contains("\n  \(line)"))
        }
    }
}

extension Feed {
    fileprivate static var commandNames: [String] {
        configuration.subcommands.map { String(describing: $0).lowercased() }
    }
}
