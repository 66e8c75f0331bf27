import ArgumentParser
import DuetHummingbird
import Foundation
import GRDB
import Hummingbird

@main
struct RealWorld: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "realworld",
        abstract: "A server and a client of the RealWorld specification.",
        discussion: """
            EXAMPLES:
              realworld serve
              export REALWORLD_TOKEN=$(realworld register jane jane@example.com)
              echo "The text." | realworld publish "Hello" --about "A first article" --tag swift
              realworld articles --tag swift
              realworld read hello
            """,
        groupedSubcommands: [
            CommandGroup(name: "Read", subcommands: [Articles.self, Read.self, Tags.self, ProfileCommand.self]),
            CommandGroup(
                name: "Write",
                subcommands: [Publish.self, Edit.self, Delete.self, Like.self, CommentCommand.self, FollowCommand.self]
            ),
            CommandGroup(name: "Account", subcommands: [RegisterCommand.self, LoginCommand.self, Settings.self]),
            CommandGroup(name: "Run", subcommands: [Serve.self]),
        ]
    )
}

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Run the server, for this machine only.")

    @Option(help: "The port; 0 for any free one.") var port: UInt16 = 8080
    @Option(help: "The file of the database, which is created if it is missing.") var database = "realworld.sqlite"

    func run() async throws {
        // The database has the secret of the tokens, so only this user reads its files.
        umask(0o077)
        let router = try await makeRouter(try DatabasePool(path: database)) { Date() }
        let server = Application(
            router: router,
            limits: ServerLimits(refusals: Refusal.format),
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: Int(port))),
            onServerRunning: { channel in
                show("The API is at http://127.0.0.1:\(channel.localAddress?.port ?? 0)/api")
            }
        )
        try await server.runService()
    }
}
