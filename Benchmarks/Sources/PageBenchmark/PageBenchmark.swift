import DuetDependencies
import FeedComposition
import FeedWeb
import Foundation
import Hummingbird
import Logging
import NIOCore

/// The program of `page.sh`: serves the feed as a page, or measures live pages.
///
///     PageBenchmark page BACKEND CACHE         serves the page of FeedWeb; prints the port
///     PageBenchmark by-hand BACKEND TEMPLATES  serves the same page with a hand-written route; prints the port
///     PageBenchmark static FILE                serves a file of HTML; prints the port
///     PageBenchmark hostile PAGE BACKEND       sends requests that are made to be slow, and prints the times
///     PageBenchmark live PAGE COUNT            opens COUNT live pages, posts a comment, and prints the times
@main
enum PageBenchmark {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch (arguments.first, arguments.count) {
        case ("page", 3): try await servePage(backend: url(arguments[1]), cache: URL(filePath: arguments[2]))
        case ("by-hand", 3):
            try await handWrittenApplication(
                backend: url(arguments[1]),
                templates: URL(filePath: arguments[2]),
                onServerRunning: printPort
            ).runService()
        case ("static", 2): try await serveFile(URL(filePath: arguments[1]))
        case ("hostile", 3): try await HostileRequests(page: url(arguments[1]), backend: url(arguments[2])).measure()
        case ("live", 3): try await LivePages(page: url(arguments[1]), count: Int(arguments[2]) ?? 0).measure()
        default:
            print(
                """
                usage: PageBenchmark page BACKEND CACHE | by-hand BACKEND TEMPLATES | static FILE \
                | hostile PAGE BACKEND | live PAGE COUNT
                """
            )
        }
    }

    private static func servePage(backend: URL, cache: URL) async throws {
        let logger = Logger(label: "page")
        let container = try Container.page(
            ClientOptions(remote: backend, cache: cache),
            environment: FeedComposition.Environment(logger: logger),
            onWarning: { print($0) }
        )
        try await FeedWeb(container: container)
            .application(host: "127.0.0.1", port: 0, onServerRunning: printPort, logger: logger)
            .runService()
        await container.dispose()
    }

    private static func serveFile(_ file: URL) async throws {
        let body = ByteBuffer(bytes: try Data(contentsOf: file))
        let router = Router()
        router.get("/") { _, _ in
            Response(
                status: .ok,
                headers: [.contentType: "text/html; charset=utf-8"],
                body: ResponseBody(byteBuffer: body)
            )
        }
        try await Application(
            router: router,
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: printPort
        ).runService()
    }

    private static func url(_ text: String) throws -> URL {
        guard let url = URL(string: text) else { throw InvalidURL(text: text) }
        return url
    }

    private struct InvalidURL: Error { let text: String }

    @Sendable @concurrent
    private static func printPort(_ channel: any Channel) async {
        print(channel.localAddress?.port ?? 0)
        // The script waits for the port at the other end of the pipe.
        fflush(nil)
    }
}
