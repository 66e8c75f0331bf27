import ArgumentParser
import FeedComposition
import FeedProxy
import Foundation

/// A proxy before another server.
struct Proxy: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run a caching proxy before another server.",
        discussion: """
            It answers from its cache what RFC 9111 lets it, and hands every other request on as it came, and the answer \
            back while it comes; the fields about a connection stay behind, and Via is added. Cache-Status tells where an \
            answer came from.

            Without --shared it is one person's own cache: all who send no credentials are taken for that person, and are \
            answered what the server meant for one of them alone. It then listens on this machine only. A proxy for \
            several people is one with --shared.

            What is stored belongs to the host and the port that a request names, as servers may answer differently for \
            each: ask by one name. A POST, PUT or DELETE through the proxy removes what is stored of what it changes; to \
            clear all of it, stop the proxy, and delete the file of --store, if there is one, \
            with all whose names begin like it.
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

    @Flag(
        help: """
            Serve several people, and store nothing that is meant for one. (default: all without credentials are one person)
            """
    )
    var shared = false

    @Option(
        help: ArgumentHelp(
            "The database file to keep the cache in. (default: in memory)",
            valueName: "file"
        ),
        transform: filePath
    )
    var store: String?

    @Option(
        help: ArgumentHelp("How many megabytes of 1,048,576 bytes are kept, at most.", valueName: "MB"),
        transform: megabytes
    )
    var capacity: Int64 = 256

    @Option(
        name: .customLong("cacert"),
        help: ArgumentHelp(
            "Trust an https origin that one of the authorities in this file vouches for, in PEM. (default: those of the system)",
            valueName: "file"
        ),
        transform: filePath
    )
    var authorities: String?

    @OptionGroup
    var log: LogOptions

    func validate() throws {
        guard shared || host.isThisMachine else {
            throw ValidationError(
                """
                On \(host) others reach this proxy, and without --shared all without credentials are one person. \
                Add --shared, or leave out --host.
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
            print(
                """
                Proxy:   \(proxy.absoluteString)
                Origin:  \(origin.absoluteString)
                Cache:   \(shared ? "shared" : "private"), \(store ?? "in memory"), at most \(capacity) MB

                Press Ctrl-C to stop.
                """
            )
            try? Terminal.flush()
        }
    }
}

/// Reads the address of a server that a proxy can stand before.
///
/// - Throws: `ValidationError` that says what is wrong with it.
@Sendable private func originURL(_ text: String) throws -> URL {
    guard let url = URL(string: text), url.scheme != nil, url.host() != nil else {
        throw ValidationError(
            "'\(text)' is not an address with http:// or https://. Write one like http://127.0.0.1:8080"
        )
    }
    do {
        _ = try Origin(url)
    } catch {
        throw ValidationError("\(error)")
    }
    return url
}

/// Reads how large a cache may be.
///
/// - Throws: `ValidationError` for what is no such number.
@Sendable private func megabytes(_ text: String) throws -> Int64 {
    guard let number = Int64(text), (1...1_048_576).contains(number) else {
        throw ValidationError("'\(text)' is not a number of megabytes between 1 and 1048576.")
    }
    return number
}
