package import ArgumentParser

/// The command-line program.
@main
package struct Feed: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "feed",
        abstract: "An image feed that is still there when its server is gone.",
        discussion: """
            Try it:    feed demo
            In parts:  feed serve
                       and in other terminals: feed web, feed load, feed comments ID
            To write:  export FEED_TOKEN=$(feed token)
                       feed publish cat.jpg --description "A cat", feed remove ID, feed comment ID "Nice!" --user me

            Exit codes: 0 done; 1 it could not be done, and a sentence on standard error says why; 64 the command was \
            not written as it should be.
            """,
        version: "0.1.0",
        subcommands: [
            Demo.self, Serve.self, Web.self, Load.self, Comments.self, Image.self, Publish.self, Remove.self,
            Comment.self, Token.self, Cache.self, Graph.self, Proxy.self,
        ]
    )

    package init() {}
}
