package import ArgumentParser
import Foundation

@main
package struct Feed: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "feed",
        abstract: "An image feed that still works when its server is gone.",
        discussion: """
            EXAMPLES:
              Run everything in one process, and open the page:
                feed demo --open
              Show the feed in the terminal, also when the server is gone:
                feed load --all
              Show one image and its comments, with the beginning of its id:
                feed image 8112E60D
                feed comments 8112E60D
              Publish an image:
                export FEED_TOKEN=$(feed token create)
                feed publish cat.jpg --description "A cat"
              Run the parts in separate terminals:
                feed serve
                feed web

            ENVIRONMENT:
              FEED_REMOTE  the backend's address, as with --remote
              FEED_CLUSTER  the servers of a cluster, as with --cluster
              FEED_TOKEN   the token for commands that write
              LC_ALL, LC_MESSAGES, LANG  the language, as with --language
              NO_COLOR, CLICOLOR_FORCE   no color; color also in a pipe
              XDG_CACHE_HOME, XDG_DATA_HOME  the folders of the cache and the database

            EXIT CODES:
              0   success
              1   failure; the reason is on standard error
              64  invalid arguments
              69  the server cannot be reached, and nothing usable is cached
              75  the result is not fresh, and --require-fresh was given
              77  a token is missing, refused or without the permission

            Results go to standard output, and everything else to standard error. With --json, an error is one line on \
            standard error:
              {"error": {"code": 77, "kind": "denied", "message": "A token is missing."}}
            The kind is failure, usage, unavailable, stale or denied, and the code is the exit code.
            """,
        version: "0.1.0",
        groupedSubcommands: [
            CommandGroup(name: "Try", subcommands: [Demo.self]),
            CommandGroup(name: "Read", subcommands: [Load.self, Image.self, Comments.self, Watch.self]),
            CommandGroup(name: "Write", subcommands: [Publish.self, Edit.self, Reply.self, Remove.self, Outbox.self]),
            CommandGroup(name: "Run", subcommands: [Serve.self, Web.self, Cluster.self, Token.self, Backup.self]),
            CommandGroup(name: "Inspect", subcommands: [Cache.self, Graph.self, Completions.self]),
        ]
    )

    package init() {}

    /// Runs the command of the process.
    package static func main() async {
        let status = await run(TerminalSettings.current.arguments)
        if status != 0 { Foundation.exit(status) }
    }

    /// Runs the command of the arguments, reports its failure, and returns the exit code.
    package static func run(_ arguments: [String]) async -> Int32 {
        do {
            var command = try await asyncParseAsRoot(arguments)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
            return 0
        } catch {
            return report(error)
        }
    }
}
