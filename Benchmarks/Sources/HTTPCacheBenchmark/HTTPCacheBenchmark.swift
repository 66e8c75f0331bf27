import Foundation
import Hummingbird
import NIOCore

/// Measures the HTTP cache for `cache.sh`, or runs a server until the process ends.
///
///     HTTPCacheBenchmark hits             hits and validated responses, without a network
///     HTTPCacheBenchmark misses PORT      requests for new paths of the origin at a port, with and without the cache
///     HTTPCacheBenchmark origin           serves 10 kB at every path, fresh for an hour; prints the port
@main
enum HTTPCacheBenchmark {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch (arguments.first, arguments.count) {
        case ("hits", 1): try await ClientRounds.hits()
        case ("misses", 2): try await ClientRounds.misses(port: Int(arguments[1]) ?? 0)
        case ("origin", 1): try await Origin.application { report(port: $0.localAddress?.port) }.runService()
        default: print("usage: HTTPCacheBenchmark hits | misses PORT | origin")
        }
    }

    private static func report(port: Int?) {
        print(port ?? 0)
        // The script waits for the port at the other end of the pipe.
        fflush(nil)
    }
}
