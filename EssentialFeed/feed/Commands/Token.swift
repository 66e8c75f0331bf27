public import ArgumentParser
import Duet
import FeedBackend
import FeedComposition
public import FeedFeature
import Foundation

struct Token: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Create, list and revoke the tokens that a backend accepts.",
        discussion: """
            Run these commands on the backend's machine. A token is printed only once, because the backend's database \
            stores only its hash. A running backend needs no restart.

            EXAMPLES:
              export FEED_TOKEN=$(feed token create)
              feed token list
              feed token revoke ann
            """,
        subcommands: [Create.self, List.self, Revoke.self]
    )

    /// The options of all subcommands.
    struct Options: ParsableArguments {
        @OptionGroup var database: DatabaseOptions
        @OptionGroup var format: FormatOptions
        @OptionGroup var log: LogOptions

        var tokens: FeedTokens { FeedTokens(database: database.url, environment: log.environment()) }
    }

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create a token, and print it.",
            discussion: """
                The token is the only text on standard output. Images belong to its name: the images of a revoked token \
                with this name are those of the new one.

                EXAMPLES:
                  export FEED_TOKEN=$(feed token create)
                  feed token create --name ann --display-name "Ann" --scope publish --scope comment
                  feed token create --name editor --scope moderate

                JSON:
                  {"name", "displayName"?, "permissions", "token"}
                """
        )

        @Option(help: ArgumentHelp("The token's name. (default: token- and eight digits)", valueName: "name"))
        var name: String?

        @Option(
            parsing: .unconditional,
            help: ArgumentHelp("The name that readers see beside the images.", valueName: "name")
        )
        var displayName: String?

        @Option(help: ArgumentHelp("A permission; may be repeated.", valueName: "scope"))
        var scope: [Permission] = [.publish]

        @OptionGroup var options: Options

        func run() async throws {
            let issued = try await options.tokens.issue(name: name, displayName: displayName, permitting: Set(scope))
            let permissions = Set(scope).map(\.rawValue).sorted()
            try options.format.print([
                "name": issued.name,
                "displayName": displayName,
                "permissions": permissions,
                "token": issued.token.text,
            ]) {
                print(issued.token.text)
            }
            Terminal.note(
                """
                The token's name is \(issued.name). The token will not be shown again. To revoke it: feed token revoke \
                \(issued.name)
                """
            )
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the names, the permissions and the date of each token.",
            discussion: """
                EXAMPLES:
                  feed token list
                  feed token list --database photographs.sqlite

                JSON:
                  {"items": [{"name", "displayName"?, "permissions", "createdAt"}]}
                """
        )

        @OptionGroup var options: Options

        func run() async throws {
            try options.format.printList(
                try await options.tokens.list(),
                emptyNote: #"There are no tokens. Create one with "feed token create"."#,
                columns: ["NAME", "DISPLAY NAME", "PERMISSIONS", "CREATED"]
            ) { token in
                let permissions = token.permissions.map(\.rawValue).sorted()
                return (
                    [
                        "name": token.name,
                        "displayName": token.displayName,
                        "permissions": permissions,
                        "createdAt": token.createdAt,
                    ],
                    [
                        token.name, (token.displayName ?? "").safe(), permissions.joined(separator: ", "),
                        token.createdAt.formatted(.iso8601),
                    ]
                )
            }
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Revoke a token, effective immediately.",
            discussion: """
                Images belong to the name of a token. The next token with this name may correct and remove those of the \
                revoked one.

                EXAMPLES:
                  feed token revoke ann

                JSON:
                  {"name"}
                """
        )

        @Argument(help: "The token's name.")
        var name: String

        @OptionGroup var options: Options

        func run() async throws {
            try await options.tokens.revoke(name: name)
            try options.format.print(["name": name])
            Terminal.note("Revoked the token \(name).")
        }
    }
}

extension Permission: ExpressibleByArgument {}
