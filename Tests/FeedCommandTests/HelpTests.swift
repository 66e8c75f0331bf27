import ArgumentParser
import FeedTesting
import Foundation
import Testing
import feed

/// The help of the program and of its commands.
struct HelpTests {
    @Test(arguments: Feed.commandNames)
    func `every command explains itself`(command: String) throws {
        let error = try #require(throws: (any Error).self) { try Feed.parseAsRoot([command, "--help"]) }
        #expect(Feed.exitCode(for: error) == .success)
        let help = Feed.fullMessage(for: error)
        #expect(help.contains("OVERVIEW: "))
        #expect(help.contains("USAGE: feed \(command)"))
    }

    @Test func `without a command the program lists all of them`() async throws {
        let result = try await FeedProcess.run(home: TemporaryDirectory().url)
        #expect(result.status == 0)
        #expect(Feed.commandNames.count == 13)
        for command in Feed.commandNames { #expect(result.output.contains("\n  \(command) ")) }
    }
}

extension Feed {
    fileprivate static var commandNames: [String] {
        configuration.subcommands.map { String(describing: $0).lowercased() }
    }
}
