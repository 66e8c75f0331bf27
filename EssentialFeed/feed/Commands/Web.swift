import ArgumentParser
import FeedComposition
import Foundation

struct Web: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run the page alone, with a backend elsewhere.",
        discussion: """
            The page listens on this machine only, unless you choose another --host.

            GET /health responds with 204 while the server is running. GET /metrics has the server's metrics in the \
            text format of Prometheus, for this machine only. With --public-url they need --public-metrics. A page \
            behind another server, such as nginx, needs --public-url: otherwise the requests of others that it forwards \
            may look like requests from this machine.

            With --cluster, messages go through a cluster to the backends that have joined it. The page loads the bytes of images from --remote, which can be any of them or a server in front of them.

            EXAMPLES:
              feed web --open
              feed web --inspect
              feed web --remote https://feed.example.com/ --port 9000
              feed web --public-url https://photographs.example.com/
              feed web --cluster nats://127.0.0.1:4222

            JSON, as one line when the page is ready; "inspect" only with --inspect:
              {"inspect": "http://127.0.0.1:8000/inspect?token=6f2b",
               "page": "http://127.0.0.1:8000/"}
            """
    )

    @OptionGroup var remote: RemoteOptions
    @OptionGroup var cluster: ClusterAddressOptions

    @Option(help: ArgumentHelp("The address to listen on.", valueName: "host"))
    var host = "127.0.0.1"

    @Option(name: .shortAndLong, help: ArgumentHelp("The port; 0 for any free port.", valueName: "port"))
    var port: UInt16 = 8000

    @Flag(help: "Open the page in the browser.")
    var open = false

    @Option(
        help: ArgumentHelp(
            "The public address of the page, behind a server with https. (default: the address in the request)",
            valueName: "url"
        ),
        transform: httpURL
    )
    var publicURL: URL?

    @Flag(help: "Show developers on this machine what the program is doing, at the printed address.")
    var inspect = false

    @OptionGroup var cache: CacheOptions
    @OptionGroup var outbox: OutboxOptions
    @OptionGroup var metrics: MetricsOptions
    @OptionGroup var format: FormatOptions
    @OptionGroup var log: LogOptions

    func validate() throws {
        if inspect, publicURL != nil {
            throw ValidationError("--inspect and --public-url contradict each other. Use one of them only.")
        }
    }

    func run() async throws {
        let environment = log.environment()
        Telemetry.bootstrap(in: environment, version: Feed.configuration.version)
        let inspectToken = inspect ? environment.newToken() : nil
        try await FeedServers(environment: environment, cluster: cluster.joined).runWeb(
            WebOptions(
                host: host,
                port: Int(port),
                publicURL: publicURL,
                exposesMetrics: metrics.publicMetrics,
                inspectToken: inspectToken
            ),
            client: try cache.client(remote: remote.url, timeout: remote.duration, outbox: outbox),
            onWarning: Terminal.warning
        ) { page in
            let inspect = inspectToken.map(page.inspect)
            format.announce(
                ServerAddresses(page: page, inspect: inspect),
                text: "Page:  \(page.absoluteString)" + (inspect.map { "\nInspect:  \($0.absoluteString)" } ?? "")
            )
            if open { WebBrowser.open(page) }
        }
    }
}

extension URL {
    /// Returns the address of the page for developers on this server.
    func inspect(token: String) -> URL {
        appending(path: "inspect").appending(queryItems: [URLQueryItem(name: "token", value: token)])
    }
}
