package import ArgumentParser

/// The command-line program.
@main
package struct Feed: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "feed",
        abstract: "An image feed that still works when its server is gone.",
        discussion: """
            Try it:     feed demo
            In parts:   feed serve
                        and in other terminals: feed web, feed load, feed comments ID
            To publish: export FEED_TOKEN=$(feed token)
                        feed publish cat.jpg --description "A cat", feed remove ID, feed comment ID "Nice!" --user me

            Exit codes: 0 for success; 1 for a failure, with the reason on standard error; 64 for an invalid command \
            line.
            """,
        version: "0.1.0",
        subcommands: [
            Demo.self, Serve.self, Web.self, Load.self, Comments.self, Image.self, Publish.self, Remove.self,
            Comment.self, Token.self, Cache.self, Graph.self, Proxy.self,
        ]
    )

    package init() {}
}
