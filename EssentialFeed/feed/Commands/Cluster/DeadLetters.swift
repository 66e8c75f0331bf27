import ArgumentParser
import Duet
import DuetClusterEngine
import Foundation

extension Cluster {
    struct DeadLetters: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "dead-letters",
            abstract: "List, show, edit, retry and drop the commands that could not be handled.",
            discussion: """
                EXAMPLES:
                  feed cluster dead-letters
                  feed cluster dead-letters show 17 --body > command.json
                  feed cluster dead-letters edit 17 command.json
                  feed cluster dead-letters retry 17
                """,
            subcommands: [List.self, Show.self, Edit.self, Retry.self, Drop.self],
            defaultSubcommand: List.self
        )

        /// The largest number of dead letters that are printed.
        fileprivate static let limit = 1_000

        struct Identifier: ParsableArguments {
            @Argument(help: ArgumentHelp("The id of the dead letter.", valueName: "id"))
            var id: String
        }
    }
}

extension Cluster.Options {
    /// Prints the dead letters that remain after `change`.
    fileprivate func run(_ change: (any DuetClusterEngine.DeadLetters) async throws -> Void = { _ in }) async throws {
        let letters = try await use { log in
            try await change(log.deadLetters)
            return try await log.deadLetters.list(limit: Cluster.DeadLetters.limit + 1)
        }
        let shown = letters.prefix(Cluster.DeadLetters.limit)
        if shown.count < letters.count {
            Terminal.note("These are the oldest \(shown.count). Retry or drop some of them to see later ones.")
        }
        try format.print(
            ListResult(items: shown.map { DeadLetterResult($0) }),
            columns: DeadLetterResult.columns,
            emptyNote: "There are no dead letters."
        )
    }
}

extension Cluster.DeadLetters {
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the commands that could not be handled, the oldest first.",
            discussion: """
                JSON:
                  {"items": [{"attempts": 3, "command": "FeedFeature.PostImageComment",
                              "date": "2026-03-01T09:12:44Z", "id": "17",
                              "key": "8112E60D-949B-5F7E-BDED-DBE3CABE2D36",
                              "reason": "The database is locked."}]}
                """
        )

        @OptionGroup var options: Cluster.Options

        func run() async throws { try await options.run() }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print a command that could not be handled.",
            discussion: """
                JSON:
                  {"attempts": 3, "body": "{}", "command": "FeedFeature.PostImageComment",
                   "date": "2026-03-01T09:12:44Z", "id": "17",
                   "key": "8112E60D-949B-5F7E-BDED-DBE3CABE2D36",
                   "reason": "The database is locked."}
                """
        )

        @OptionGroup var identifier: Identifier

        @Flag(help: "Print the body alone, for a file that \"edit\" reads.")
        var body = false

        @OptionGroup var options: Cluster.Options

        func run() async throws {
            let letter = try await options.use { [id = identifier.id] log in
                guard let letter = try await log.deadLetters.find(id) else { throw UnknownDeadLetter(id: id) }
                return letter
            }
            guard !body else {
                // A terminal shows what a file gets byte by byte.
                var body = letter.command.envelope.body
                if Terminal.isInteractive { body = Data(String(decoding: body, as: UTF8.self).safe(upTo: .max).utf8) }
                return try Terminal.write(body + Data("\n".utf8))
            }
            let body = String(decoding: letter.command.envelope.body, as: UTF8.self)
            try options.format.print(DeadLetterResult(letter, body: body)) {
                Terminal.heading("\(letter.command.message.safe()) \(letter.id.safe())")
                Terminal.print("Reason:    \(letter.reason.safe())")
                Terminal.print("Attempts:  \(letter.attempts)")
                Terminal.print("Date:      \(letter.date.formatted(.iso8601))")
                Terminal.print("Key:       \(letter.command.key.safe())")
                Terminal.print("Body:      \(body.safe(upTo: 10_000))")
            }
        }
    }

    struct Edit: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Replace the body of a command, send it again, and print the dead letters that remain.",
            discussion: #"JSON: as of "feed cluster dead-letters list""#
        )

        @OptionGroup var identifier: Identifier

        @Argument(
            help: ArgumentHelp("The file of the body, which is JSON; - for standard input.", valueName: "file"),
            completion: .file(),
            transform: filePath
        )
        var file = "-"

        @OptionGroup var options: Cluster.Options

        func run() async throws {
            let body = try body()
            try await options.run { [id = identifier.id] in try await $0.retry(id, body: body) }
        }

        private func body() throws -> Data {
            let data = try Terminal.read(file, advice: "Choose a file with the body.")
            guard (try? JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)) != nil else {
                let name = file == "-" ? "Standard input" : file
                throw CommandError("\(name) is not JSON. \"feed cluster dead-letters show\" prints the body.")
            }
            return data
        }
    }

    struct Retry: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Send a command again, and print the dead letters that remain.",
            discussion: #"JSON: as of "feed cluster dead-letters list""#
        )

        @OptionGroup var identifier: Identifier
        @OptionGroup var options: Cluster.Options

        func run() async throws { try await options.run { [id = identifier.id] in try await $0.retry(id, body: nil) } }
    }

    struct Drop: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove a command that could not be handled, and print the dead letters that remain.",
            discussion: #"JSON: as of "feed cluster dead-letters list""#
        )

        @OptionGroup var identifier: Identifier
        @OptionGroup var options: Cluster.Options

        func run() async throws { try await options.run { [id = identifier.id] in try await $0.drop(id) } }
    }
}

package struct DeadLetterResult: Codable {
    let id: String
    let command: String
    let key: String
    let attempts: Int
    let reason: String
    let date: Date
    /// The bytes of the command as text; nil in a list.
    let body: String?

    init(_ letter: DeadLetter, body: String? = nil) {
        id = letter.id
        command = letter.command.message
        key = letter.command.key
        attempts = letter.attempts
        reason = letter.reason
        date = letter.date
        self.body = body
    }

    static var columns: [Column<Self>] {
        [
            Column("COMMAND", cell: \.command), Column("REASON", cell: \.reason),
            Column("ATTEMPTS") { "\($0.attempts)" },
            Column("DATE") { $0.date.formatted(.iso8601) },
            Column("ID", cell: \.id),
        ]
    }
}
