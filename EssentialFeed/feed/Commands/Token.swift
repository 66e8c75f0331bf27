public import ArgumentParser
import FeedBackend
import FeedComposition
public import FeedFeature
import Foundation

/// Who may write.
struct Token: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make, list and revoke the tokens that a backend accepts.",
        discussion: """
            A token is shown once, when it is made: the backend's database keeps its hash alone. A backend that runs \
            on the database needs no restart.

            To use one:  export FEED_TOKEN=$(feed token)
            """,
        subcommands: [Make.self, List.self, Revoke.self],
        defaultSubcommand: Make.self
    )

    /// Makes a token.
    struct Make: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Make a token, and print it. (default)")

        @Option(help: ArgumentHelp("What to call it. (default: token- and some digits)", valueName: "name"))
        var name: String?

        @Option(help: ArgumentHelp("What it permits: publish or comment; may be repeated.", valueName: "scope"))
        var scope: [Permission] = [.publish]

        @OptionGroup
        var database: DatabaseOptions

        @OptionGroup
        var log: LogOptions

        func run() async throws {
            let made = try await database.tokens(log).issue(name: name, permitting: Set(scope))
            print(made.token.text)
            try Terminal.flush()
            Terminal.note(
                "It is called \(made.name), and will not be shown again. To revoke it: feed token revoke \(made.name)"
            )
        }
    }

    /// Prints which tokens there are.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Print what each token is called and permits.")

        @OptionGroup
        var database: DatabaseOptions

        @OptionGroup
        var log: LogOptions

        func run() async throws {
            let tokens = try await database.tokens(log).list()
            if tokens.isEmpty {
                Terminal.note("There are no tokens. feed token makes one.")
            } else {
                var table = Table("NAME", "PERMITS", "MADE")
                for token in tokens {
                    let permissions = token.permissions.map(\.rawValue).sorted().joined(separator: ", ")
                    table.add(token.name, permissions, token.createdAt.formatted(.iso8601))
                }
                table.print()
            }
            try Terminal.flush()
        }
    }

    /// Has a token accepted no longer.
    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Have the backend accept a token no longer, from the next request on."
        )

        @Argument(help: "What the token is called.")
        var name: String

        @OptionGroup
        var database: DatabaseOptions

        @OptionGroup
        var log: LogOptions

        func run() async throws {
            try await database.tokens(log).revoke(name: name)
        }
    }
}

extension Permission: ExpressibleByArgument {}

extension DatabaseOptions {
    fileprivate func tokens(_ log: LogOptions) -> FeedTokens {
        FeedTokens(database: url, environment: log.environment())
    }
}
