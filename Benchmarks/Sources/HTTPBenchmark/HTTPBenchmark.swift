import Foundation
import Hummingbird
import NIOCore

/// What `http.sh` runs: measures the client's side, or serves a query until it is ended.
///
///     HTTPBenchmark encode          messages as requests, without a network
///     HTTPBenchmark call PORT       a query to the server at a port
///     HTTPBenchmark mounted         serves it mounted on a router; prints the port
///     HTTPBenchmark by-hand         serves it with a route written by hand; prints the port
///     HTTPBenchmark archive         serves 5.5 MB; prints the port
///     HTTPBenchmark stall PORT      loads them from the main actor
@main
enum HTTPBenchmark {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch (arguments.first, arguments.count) {
        case ("encode", 1): try await ClientRounds.encode()
        case ("call", 2): try await ClientRounds.call(port: Int(arguments[1]) ?? 0)
        case ("mounted", 1): try await Servers.mounted(printPort).runService()
        case ("by-hand", 1): try await Servers.byHand(printPort).runService()
        case ("archive", 1): try await Stall.server(printPort).runService()
        case ("stall", 2): try await Stall.measure(port: Int(arguments[1]) ?? 0)
        default: print("usage: HTTPBenchmark encode | call PORT | mounted | by-hand | archive | stall PORT")
        }
    }

    @Sendable @concurrent
    private static func printPort(_ channel: any Channel) async {
        print(channel.localAddress?.port ?? 0)
        // The reader at the other end of a pipe waits for it.
        fflush(nil)
    }
}
