import ArgumentParser
import FeedComposition
import Foundation

/// The backend alone.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run the backend alone.",
        discussion: """
            It listens on this machine only, unless --host says otherwise. Everybody who can reach it can read. \
            Publishing and removing images take a token, which feed token makes; posting comments takes one with \
            --closed-comments only. It speaks http: on another machine's network put a proxy that speaks https before \
            it, or tokens can be read on the way.
            """
    )

    @Option(help: ArgumentHelp("The address to listen on.", valueName: "host"))
    var host = "127.0.0.1"

    @Option(name: .shortAndLong, help: ArgumentHelp("The port; 0 takes any that is free.", valueName: "port"))
    var port: UInt16 = 8080

    @Option(
        help: ArgumentHelp(
            "The address that clients use, for the images' URLs, if it is not the one they ask.",
            valueName: "url"
        ),
        transform: httpURL
    )
    var publicURL: URL?

    @Flag(help: "Take comments only from those who have a token for it: feed token --scope comment.")
    var closedComments = false

    @OptionGroup
    var server: BackendServerOptions

    @OptionGroup
    var log: LogOptions

    func run() async throws {
        let progress = ProgressBar("Filling the backend")
        try await FeedServers(environment: log.environment()).runBackend(
            server.backend(host: host, port: port, publicURL: publicURL, closedComments: closedComments),
            progress: progress.update
        ) { backend in
            print("Backend:  \(backend.absoluteString)\n\nPress Ctrl-C to stop.")
            try? Terminal.flush()
        }
    }
}
