import ArgumentParser

/// The command-line program.
@main
struct Feed: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "feed",
        abstract: "An image feed that is still there when its server is gone.",
        discussion: """
            Try it:    feed demo
            In parts:  feed serve
                       and in other terminals: feed web, feed load, feed comments ID

            Exit codes: 0 done; 1 it could not be done, and a sentence on standard error says why; 64 the command was \
            not written as it should be.
            """,
        version: "0.1.0",
        subcommands: [
            Demo.self, Serve.self, Web.self, Load.self, Comments.self, Image.self, Cache.self, Graph.self,
        ]
    )
}
