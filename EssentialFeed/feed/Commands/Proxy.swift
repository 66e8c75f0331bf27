import ArgumentParser
import FeedComposition
import FeedProxy
import Foundation

/// A proxy before another server.
struct Proxy: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run a proxy before another server.",
        discussion: """
            It hands every request on as it came, and the answer back while it comes; the fields about a connection stay \
            behind, and Via is added. It listens on this machine only, unless --host says otherwise.
            """
    )

    @Option(
        help: ArgumentHelp("The server to stand before, such as http://127.0.0.1:8080", valueName: "url"),
        transform: originURL
    )
    var origin: URL

    @Option(help: ArgumentHelp("The address to listen on.", valueName: "host"))
    var host = "127.0.0.1"

    @Option(name: .shortAndLong, help: ArgumentHelp("The port; 0 takes any that is free.", valueName: "port"))
    var port: UInt16 = 8888

    @OptionGroup
    var log: LogOptions

    func run() async throws {
        try await FeedServers(environment: log.environment()).runProxy(
            ProxyOptions(origin: origin, host: host, port: Int(port))
        ) { proxy in
            print("Proxy:  \(proxy.absoluteString)\n\nPress Ctrl-C to stop.")
            try? Terminal.flush()
        }
    }
}

/// Reads the address of a server that a proxy can stand before.
///
/// - Throws: `ValidationError` that says what is wrong with it.
@Sendable private func originURL(_ text: String) throws -> URL {
    guard let url = URL(string: text) else {
        throw ValidationError("'\(text)' is not an address. Write one like http://127.0.0.1:8080")
    }
    do {
        _ = try Origin(url)
    } catch {
        throw ValidationError("\(error)")
    }
    return url
}
