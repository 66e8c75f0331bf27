import ArgumentParser
import FeedBackend
import FeedComposition
import Foundation

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run the backend alone.",
        discussion: """
            The backend listens on this machine only, unless you choose another --host. Everyone who can reach it can \
            read the feed. Publishing and removing images require a token, which "feed token create" creates. Posting \
            comments requires a token only with --closed-comments.

            The backend uses http. If other machines connect to it, put an https proxy in front of it, because others \
            on the network can read tokens sent over http.

            GET /health responds with 204 while the server is running. GET /metrics has the server's metrics in the \
            text format of Prometheus, for this machine only. With --public-url they need --public-metrics.

            With --cluster the backend also handles messages of a cluster, together with all other backends that join it. They need a common database. The nodes of a cluster trust each other, so only they may reach its servers.

            EXAMPLES:
              feed serve
              feed serve --seed photographs --database photographs.sqlite
              feed serve --closed-comments --public-url https://feed.example.com/
              feed serve --cluster nats://127.0.0.1:4222

            JSON, as one line when the backend is ready:
              {"backend": "http://127.0.0.1:8080/"}
            """
    )

    @Option(help: ArgumentHelp("The address to listen on.", valueName: "host"))
    var host = "127.0.0.1"

    @Option(name: .shortAndLong, help: ArgumentHelp("The port; 0 for any free port.", valueName: "port"))
    var port: UInt16 = 8080

    @Option(
        help: ArgumentHelp(
            "The public address of the backend, for the images' URLs. (default: the address in the request)",
            valueName: "url"
        ),
        transform: httpURL
    )
    var publicURL: URL?

    @Flag(help: "Accept comments only with a token, created with feed token create --scope comment.")
    var closedComments = false

    @Option(
        help: ArgumentHelp(
            "The number of comments that a token, or an address without one, may post in a minute.",
            valueName: "count"
        )
    )
    var commentsPerMinute = BackendModule.commentsPerMinute

    @Option(
        help: ArgumentHelp(
            "The IP address of a page server, which limits its readers itself, so that --comments-per-minute does not "
                + "concern it. Repeat the option for several.",
            valueName: "address"
        )
    )
    var pageServer: [String] = []

    @OptionGroup var cluster: ClusterAddressOptions
    @OptionGroup var server: BackendServerOptions
    @OptionGroup var metrics: MetricsOptions
    @OptionGroup var format: FormatOptions
    @OptionGroup var log: LogOptions

    func validate() throws {
        guard commentsPerMinute > 0 else {
            throw ValidationError("--comments-per-minute must be at least 1, not \(commentsPerMinute).")
        }
        for address in pageServer where !BackendOptions.isAddress(address) {
            throw ValidationError("'\(address)' is not an IP address. Write one like 192.0.2.1.")
        }
    }

    func run() async throws {
        let environment = log.environment()
        Telemetry.bootstrap(in: environment, version: Feed.configuration.version)
        try await FeedServers(environment: environment, cluster: cluster.joined).runBackend(
            server.backend(
                host: host,
                port: port,
                publicURL: publicURL,
                closedComments: closedComments,
                commentsPerMinute: commentsPerMinute,
                pageServers: pageServer,
                exposesMetrics: metrics.publicMetrics
            ),
            progress: { Terminal.progress("Filling the backend", done: $0, total: $1) }
        ) { backend in
            format.announce(ServerAddresses(backend: backend), text: "Backend:  \(backend.absoluteString)")
        }
    }
}
