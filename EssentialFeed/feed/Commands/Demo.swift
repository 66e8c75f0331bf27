import ArgumentParser
import Duet
import FeedComposition
import FeedFeature
import Foundation

/// Runs the backend and the page in one process.
struct Demo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run the backend and the page in one process, and print the feed and the page's address.",
        discussion: """
            Both listen on this machine only. Ctrl-C stops them after the requests in flight.

            Examples:
              feed demo
              feed demo --web-port 0 --backend-port 0
              feed demo --seed photographs --database photographs.sqlite
            """
    )

    @Option(help: ArgumentHelp("The page's port; 0 for any free port.", valueName: "port"))
    var webPort: UInt16 = 8000

    @Option(help: ArgumentHelp("The backend's port; 0 for any free port.", valueName: "port"))
    var backendPort: UInt16 = 8080

    @OptionGroup
    var server: BackendServerOptions

    @OptionGroup
    var cache: CacheOptions

    @OptionGroup
    var language: LanguageOptions

    @OptionGroup
    var log: LogOptions

    func run() async throws {
        let progress = ProgressBar("Filling the backend")
        let environment = log.environment()
        let output = FeedOutput(language: language.language, now: environment.now())
        try await FeedServers(environment: environment).runDemo(
            backend: server.backend(host: "127.0.0.1", port: backendPort),
            web: WebOptions(port: Int(webPort)),
            cache: cache.url,
            store: cache.store,
            onWarning: Terminal.note,
            progress: progress.update
        ) { backend, page, dispatcher in
            do {
                output.print(try await dispatcher.dispatch(LoadFeed()))
            } catch {
                Terminal.note("The feed could not be loaded: \(error)")
            }
            print("\nPage:     \(page.absoluteString)\nBackend:  \(backend.absoluteString)\n\nPress Ctrl-C to stop.")
            try? Terminal.flush()
        }
    }
}
