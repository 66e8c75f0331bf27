import ArgumentParser
import FeedComposition
import Foundation

struct Proxy: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run a caching proxy in front of another server.",
        discussion: """
            The proxy returns a stored response where RFC 9111 allows it, and forwards every other request. The \
            Cache-Status field of a response shows how the cache was used. Bodies stream in both directions. \
            Informational responses (1xx) and trailers are not forwarded.

            Without --shared, the cache is private: all requests without credentials count as one user's, and the \
            proxy listens on this machine only. With --shared, several users can share the cache. A proxy that listens \
            on this machine only refuses requests for other host names than the machine's own.

            A stored response belongs to the host and port of its request, so always use the same name. A POST, PUT, \
            PATCH or DELETE through the proxy removes the stored responses that it invalidates; a DELETE also those \
            below its path. To clear the cache, stop the proxy. Then delete the file of --store, and all files whose names begin with its name. A file that is not \
            a cache of this kind is refused and left unchanged.

            EXAMPLES:
              feed proxy --origin http://127.0.0.1:8080
              feed proxy --origin https://example.com --shared --store cache.sqlite

            JSON, as one line when the proxy is ready:
              {"origin", "proxy"}
            """
    )

    @Option(
        help: ArgumentHelp("The server to forward to, such as http://127.0.0.1:8080.", valueName: "url"),
        transform: originURL
    )
    var origin: ProxyOrigin

    @Option(help: ArgumentHelp("The address to listen on.", valueName: "host"))
    var host = "127.0.0.1"

    @Option(name: .shortAndLong, help: ArgumentHelp("The port; 0 for any free port.", valueName: "port"))
    var port: UInt16 = 8888

    @Flag(help: "Act as a shared cache: never store private responses. (default: a private cache of one user)")
    var shared = false

    @Option(
        help: ArgumentHelp("The database file of the cache. (default: in memory)", valueName: "file"),
        completion: .file(),
        transform: filePath
    )
    var store: String?

    @Option(
        help: ArgumentHelp(
            "The maximum size of the cache, in megabytes of 1,048,576 bytes. (default: 256)",
            valueName: "MB"
        ),
        transform: megabytes
    )
    var capacity: Int64 = 256

    @Option(
        name: .customLong("cacert"),
        help: ArgumentHelp(
            "A PEM file of CA certificates to trust for an https origin, in addition to those of the system.",
            valueName: "file"
        ),
        completion: .file(),
        transform: filePath
    )
    var authorities: String?

    @OptionGroup var format: FormatOptions
    @OptionGroup var log: LogOptions

    func validate() throws {
        guard shared || host.isThisMachine else {
            throw ValidationError(
                """
                Other machines can reach a proxy on \(host), but a private cache is for one user. Add --shared, or \
                remove --host.
                """
            )
        }
    }

    func run() async throws {
        try await FeedServers(environment: log.environment()).runProxy(
            ProxyOptions(
                origin: origin,
                host: host,
                port: Int(port),
                isShared: shared,
                store: store.map { URL(filePath: $0) },
                capacity: capacity * 1_048_576,
                authorities: authorities.map { URL(filePath: $0) }
            )
        ) { proxy in
            format.announce(
                ["proxy": proxy, "origin": "\(origin)"],
                text: """
                    Proxy:   \(proxy.absoluteString)
                    Origin:  \(origin)
                    Cache:   \(shared ? "shared" : "private"), \(store ?? "in memory"), at most \(capacity) MB
                    """
            )
        }
    }
}

/// Reads the address of an origin.
///
/// - Throws: `ValidationError` for an invalid address.
@Sendable private func originURL(_ text: String) throws -> ProxyOrigin {
    guard let url = URL(string: text), url.scheme != nil, url.host() != nil else {
        throw ValidationError(
            "'\(text)' is not an address with http:// or https://. Write one like http://127.0.0.1:8080"
        )
    }
    do {
        return try ProxyOrigin(url)
    } catch {
        throw ValidationError("\(error)")
    }
}

/// Reads the size of a cache.
///
/// - Throws: `ValidationError` for an invalid number.
@Sendable private func megabytes(_ text: String) throws -> Int64 {
    guard let number = Int64(text), (1...1_048_576).contains(number) else {
        throw ValidationError("'\(text)' is not a number of megabytes between 1 and 1048576.")
    }
    return number
}
