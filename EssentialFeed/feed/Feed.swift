package import ArgumentParser

/// The command-line program.
@main
package struct Feed: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "feed",
        abstract: "An image feed that still works when its server is gone.",
        discussion: """
            Examples:
              Run everything in one process:
                feed demo
              Run the parts in separate terminals:
                feed serve
                feed web
              Show the feed in the terminal, also when the server is gone:
                feed load --all
              Publish an image:
                export FEED_TOKEN=$(feed token)
                feed publish cat.jpg --description "A cat"

            Exit codes:
              0   success
              1   failure; the reason is on standard error
              64  invalid arguments
            """,
        version: "0.1.0",
        subcommands: [
            Demo.self, Serve.self, Web.self, Load.self, Comments.self, Image.self, Publish.self, Remove.self,
            Comment.self, Token.self, Cache.self, Graph.self, Proxy.self,
        ]
    )

    package init() {}
}
