import ArgumentParser
import Duet
import DuetCluster
import FeedComposition
import FeedFeature
import Foundation

struct Demo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run the backend and the page in one process, and print the feed and the page's address.",
        discussion: """
            Both listen on this machine only. Ctrl-C stops them after the requests in flight.

            EXAMPLES:
              feed demo --open
              feed demo --web-port 0 --backend-port 0
              feed demo --seed photographs --database photographs.sqlite

            JSON, as one line when both are ready, without the feed; "inspect" only with --inspect:
              {"backend": "http://127.0.0.1:8080/",
               "inspect": "http://127.0.0.1:8000/inspect?token=6f2b",
               "page": "http://127.0.0.1:8000/"}
            """
    )

    @Option(help: ArgumentHelp("The page's port; 0 for any free port.", valueName: "port"))
    var webPort: UInt16 = 8000

    @Option(help: ArgumentHelp("The backend's port; 0 for any free port.", valueName: "port"))
    var backendPort: UInt16 = 8080

    @Flag(help: "Open the page in the browser.")
    var open = false

    @Flag(help: "Show developers on this machine what the program is doing, at /inspect.")
    var inspect = false

    @Flag(help: "Send the messages of the page through a cluster in this process, in place of HTTP.")
    var cluster = false

    @OptionGroup var server: BackendServerOptions
    @OptionGroup var cache: CacheOptions
    @OptionGroup var outbox: OutboxOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var log: LogOptions

    func run() async throws {
        let environment = log.environment()
        let screen = FeedOutput(language: output.language.language, now: environment.now())
        Telemetry.bootstrap(in: environment, version: Feed.configuration.version)
        let inspectToken = inspect ? environment.newToken() : nil
        try await FeedServers(environment: environment, cluster: cluster ? FeedCluster(InProcessCluster()) : nil)
            .runDemo(
                backend: server.backend(host: "127.0.0.1", port: backendPort),
                web: WebOptions(port: Int(webPort), inspectToken: inspectToken),
                client: try cache.client(remote: httpURL(RemoteOptions.standard), outbox: outbox),
                onWarning: Terminal.warning,
                progress: { Terminal.progress("Filling the backend", done: $0, total: $1) }
            ) { backend, page, dispatcher in
                if !output.json { await show(dispatcher, on: screen) }
                let inspect = inspectToken.map(page.inspect)
                let line = inspect.map { "\nInspect:  \($0.absoluteString)" } ?? ""
                output.format.announce(
                    ServerAddresses(backend: backend, page: page, inspect: inspect),
                    text: "\nPage:     \(page.absoluteString)\nBackend:  \(backend.absoluteString)\(line)"
                )
                if open { WebBrowser.open(page) }
            }
    }

    private func show(_ dispatcher: any QueryDispatcher, on screen: FeedOutput) async {
        do {
            screen.print(FeedPager.Loaded(page: try await dispatcher.dispatch(LoadFeed())))
        } catch {
            Terminal.note("The feed could not be loaded: \(error)", .red)
        }
    }
}
