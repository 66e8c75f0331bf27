public import ArgumentParser
import FeedBackend
import FeedComposition
public import FeedFeature
import Foundation

/// Manages the tokens that a backend accepts.
struct Token: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Create, list and revoke the tokens that a backend accepts.",
        discussion: """
            Run these commands on the backend's machine. A token is printed only once, because the backend's database \
            stores only its hash. A running backend needs no restart.

            Examples:
              export FEED_TOKEN=$(feed token)
              feed token list
              feed token revoke ann
            """,
        subcommands: [Make.self, List.self, Revoke.self],
        defaultSubcommand: Make.self
    )

    /// Creates a token.
    struct Make: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create a token, and print it.",
            discussion: """
                Examples:
                  feed token
                  feed token make --name ann --scope publish --scope comment
                """
        )

        @Option(help: ArgumentHelp("The token's name. (default: token- and eight digits)", valueName: "name"))
        var name: String?

        @Option(help: ArgumentHelp("A permission; may be repeated.", valueName: "scope"))
        var scope: [Permission] = [.publish]

        @OptionGroup
        var database: DatabaseOptions

        @OptionGroup
        var log: LogOptions

        func run() async throws {
            let issued = try await database.tokens(log).issue(name: name, permitting: Set(scope))
            print(issued.token.text)
            try Terminal.flush()
            Terminal.note(
                """
                The token's name is \(issued.name). The token will not be shown again. To revoke it: feed token revoke \
                \(issued.name)
                """
            )
        }
    }

    /// Prints the accepted tokens.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the name, the permissions and the date of each token.",
            discussion: """
                Examples:
                  feed token list
                  feed token list --database photographs.sqlite
                """
        )

        @OptionGroup
        var database: DatabaseOptions

        @OptionGroup
        var log: LogOptions

        func run() async throws {
            let tokens = try await database.tokens(log).list()
            if tokens.isEmpty {
                Terminal.note(#"There are no tokens. Create one with "feed token"."#)
            } else {
                var table = Table("NAME", "PERMISSIONS", "CREATED")
                for token in tokens {
                    let permissions = token.permissions.map(\.rawValue).sorted().joined(separator: ", ")
                    table.add(token.name, permissions, token.createdAt.formatted(.iso8601))
                }
                table.print()
            }
            try Terminal.flush()
        }
    }

    /// Revokes a token.
    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Revoke a token, effective immediately.",
            discussion: """
                Examples:
                  feed token revoke ann
                """
        )

        @Argument(help: "The token's name.")
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
