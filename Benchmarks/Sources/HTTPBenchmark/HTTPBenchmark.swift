import Dispatch
import Foundation
import Hummingbird
import NIOCore

/// The program of `http.sh`: measures the client, or runs a server until the process ends.
///
///     HTTPBenchmark encode          messages as requests, without a network
///     HTTPBenchmark call PORT       a query to the server at a port
///     HTTPBenchmark mounted         serves the query, mounted on a router; prints the port
///     HTTPBenchmark by-hand         serves the query with a hand-written route; prints the port
///     HTTPBenchmark layer LAYER     serves the query with all layers up to one; prints the port
///     HTTPBenchmark send PORT COUNT sends the query so often, on one connection
///     HTTPBenchmark archive         serves 5.5 MB; prints the port
///     HTTPBenchmark stall PORT      loads the 5.5 MB from the main actor
@main
enum HTTPBenchmark {
    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        Task.detached {
            do {
                try await run(arguments)
                exit(0)
            } catch {
                print(error)
                exit(1)
            }
        }
        // Valgrind cannot follow a main thread into the main queue, where an asynchronous main function leads it.
        while arguments.first == "layer" { pause() }
        dispatchMain()
    }

    private static func run(_ arguments: [String]) async throws {
        switch (arguments.first, arguments.count) {
        case ("encode", 1): try await ClientRounds.encode()
        case ("call", 2): try await ClientRounds.call(port: Int(arguments[1]) ?? 0)
        case ("mounted", 1): try await Servers.mounted(printPort).runService()
        case ("by-hand", 1): try await Servers.byHand(printPort).runService()
        case ("layer", 2):
            guard let layer = Layer(rawValue: arguments[1]) else {
                return print("The layers are \(Layer.allCases.map(\.rawValue).joined(separator: ", ")).")
            }
            CountedTelemetry.start(metrics: layer.has(.metrics), traces: layer.has(.traces))
            try await layer.server(printPort).runService()
        case ("send", 3): try await ClientRounds.send(port: Int(arguments[1]) ?? 0, count: Int(arguments[2]) ?? 0)
        case ("archive", 1): try await Stall.server(printPort).runService()
        case ("stall", 2): try await Stall.measure(port: Int(arguments[1]) ?? 0)
        default:
            print(
                """
                usage: HTTPBenchmark encode | call PORT | mounted | by-hand | layer LAYER | send PORT COUNT | archive | \
                stall PORT
                """
            )
        }
    }

    @Sendable @concurrent
    private static func printPort(_ channel: any Channel) async {
        print(channel.localAddress?.port ?? 0)
        // The script waits for the port at the other end of the pipe.
        fflush(nil)
    }
}
