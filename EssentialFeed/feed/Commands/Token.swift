public import ArgumentParser
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

                JSON; "displayName" only with --display-name:
                  {"displayName": "Ann", "name": "ann", "permissions": ["publish"],
                   "token": "feed_6f2b"}
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
            let result = NewTokenResult(
                name: issued.name,
                displayName: displayName,
                permissions: Set(scope).map(\.rawValue).sorted(),
                token: issued.token.text
            )
            try options.format.print(result) { Terminal.print(result.token) }
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

                JSON; a token without a display name has no "displayName":
                  {"items": [{"createdAt": "2026-03-01T09:12:44Z", "displayName": "Ann",
                              "name": "ann", "permissions": ["publish"]}]}
                """
        )

        @OptionGroup var options: Options

        func run() async throws {
            try options.format.print(
                ListResult(items: try await options.tokens.list().map { TokenResult($0) }),
                columns: TokenResult.columns,
                emptyNote: #"There are no tokens. Create one with "feed token create"."#
            )
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
                  {"name": "ann"}
                """
        )

        @Argument(help: "The token's name.")
        var name: String

        @OptionGroup var options: Options

        func run() async throws {
            try await options.tokens.revoke(name: name)
            try options.format.print(RevokedTokenResult(name: name))
            Terminal.note("Revoked the token \(name).")
        }
    }
}

extension Permission: ExpressibleByArgument {}

package struct NewTokenResult: Codable {
    let name: String
    let displayName: String?
    let permissions: [String]
    let token: String
}

package struct TokenResult: Codable {
    let name: String
    let displayName: String?
    let permissions: [String]
    let createdAt: Date

    init(_ token: TokenSummary) {
        name = token.name
        displayName = token.displayName
        permissions = token.permissions.map(\.rawValue).sorted()
        createdAt = token.createdAt
    }

    static var columns: [Column<Self>] {
        [
            Column("NAME", cell: \.name),
            Column("DISPLAY NAME") { $0.displayName ?? "" },
            Column("PERMISSIONS") { $0.permissions.joined(separator: ", ") },
            Column("CREATED") { $0.createdAt.formatted(.iso8601) },
        ]
    }
}

package struct RevokedTokenResult: Codable {
    let name: String
}
