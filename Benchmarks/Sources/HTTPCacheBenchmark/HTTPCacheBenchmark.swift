import FeedComposition
import Foundation
import Hummingbird
import Logging
import NIOCore

/// What `cache.sh` runs: measures the HTTP cache, or serves until it is ended.
///
///     HTTPCacheBenchmark hits             hits of the stores and through a client, without a network
///     HTTPCacheBenchmark misses PORT      requests to the origin at a port, each for something else, with the cache and without
///     HTTPCacheBenchmark origin           serves 10 kB at every path, 100 kB under /large, fresh for an hour; prints the port
///     HTTPCacheBenchmark proxy PORT       serves what `feed proxy --shared` serves before the origin at a port; prints the port
@main
enum HTTPCacheBenchmark {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch (arguments.first, arguments.count) {
        case ("hits", 1):
            try await StoreRounds.run()
            try await ClientRounds.hits()
        case ("misses", 2): try await ClientRounds.misses(port: Int(arguments[1]) ?? 0)
        case ("origin", 1): try await Origin.application { tell(port: $0.localAddress?.port) }.runService()
        case ("proxy", 2):
            let address = "http://127.0.0.1:\(arguments[1])"
            guard let origin = URL(string: address) else { throw WrongBody(store: address) }
            let servers = FeedServers(environment: FeedComposition.Environment(logger: Logger(label: "proxy")))
            try await servers.runProxy(ProxyOptions(origin: origin, port: 0, isShared: true)) { tell(port: $0.port) }
        default: print("usage: HTTPCacheBenchmark hits | misses PORT | origin | proxy PORT")
        }
    }

    private static func tell(port: Int?) {
        print(port ?? 0)
        // The reader at the other end of a pipe waits for it.
        fflush(nil)
    }
}
