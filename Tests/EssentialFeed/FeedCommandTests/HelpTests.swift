import ArgumentParser
import FeedTesting
import Foundation
import Testing
import feed

/// The help of the program and of its commands.
struct HelpTests {
    @Test(arguments: Feed.commandNames)
    func `every command explains itself`(command: String) throws {
        let help = try help(for: [command])
        #expect(help.contains("OVERVIEW: "))
        #expect(help.contains("USAGE: feed \(command)"))
        #expect(help.contains("EXAMPLES:\n  feed \(command)") || help.contains("EXAMPLES:\n  export FEED_TOKEN="))
    }

    @Test(arguments: JSONSample.all)
    func `the JSON in the help of a command is what it prints`(sample: JSONSample) throws {
        let texts = try JSONSample.texts(in: help(for: sample.command))
        try #require(texts.indices.contains(sample.index))
        let (printed, missing) = try sample.print(texts[sample.index])
        #expect(texts[sample.index].filter { !$0.isWhitespace } == printed.filter { !$0.isWhitespace })
        #expect(missing == sample.missing)
    }

    @Test func `all JSON in the help has been compared`() throws {
        var counts: [[String]: Int] = [:]
        for command in Feed.allCommands {
            let count = try JSONSample.texts(in: help(for: command)).count
            if count > 0 { counts[command] = count }
        }
        #expect(counts == Dictionary(grouping: JSONSample.all, by: \.command).mapValues(\.count))
    }

    private func help(for command: [String]) throws -> String {
        var request = try Feed.parseAsRoot(command + ["--help"])
        let error = #expect(throws: (any Error).self) { try request.run() }
        #expect(error.map { Feed.exitCode(for: $0) } == .success)
        return error.map { Feed.fullMessage(for: $0) } ?? ""
    }

    @Test func `without a command the program lists all of them`() async throws {
        let result = try await FeedCommand.run(home: TemporaryDirectory().url)
        #expect(result.status == 0)
        #expect(Feed.commandNames.count == 18)
        for command in Feed.commandNames { #expect(result.output.contains("\n  \(command) ")) }
        for group in ["TRY", "READ", "WRITE", "RUN", "INSPECT"] {
            #expect(result.output.contains("\n\(group) SUBCOMMANDS:\n"))
        }
        for line in ["0   success", "1   ", "64  ", "69  ", "75  ", "77  "] {
            #expect(result.output.contains("\n  \(line)"))
        }
    }
}

extension ParsableCommand {
    /// The names that lead to each command: none for the program itself.
    fileprivate static var allCommands: [[String]] {
        [[]]
            + configuration.subcommands.flatMap { command in
                command.allCommands.map { [command._commandName] + $0 }
            }
    }
}

extension Feed {
    fileprivate static var commandNames: [String] {
        configuration.subcommands.map { String(describing: $0).lowercased() }
    }
}
