import DuetHTTP
import FlyingFox
import FlyingSocks
import Foundation

/// Serves the notes until it is interrupted, and prints its address.
@main
struct FlyingFoxService {
    static func main() async throws {
        let dispatcher = try Shelves().dispatcher()
        let service = try HTTPService(
            .shelves,
            dispatcher,
            at: "/api",
            authenticator: Shelves.tokens,
            options: Shelves.options
        ) { print($0) }
        let brief = try HTTPService(
            .shelves,
            dispatcher,
            at: "/brief",
            authenticator: Shelves.tokens,
            options: Shelves.briefOptions
        ) { print($0) }
        let server = HTTPServer(address: try .inet(ip4: "127.0.0.1", port: 0), logger: .disabled)
        await server.appendRoute("/api/*") { await service.respond(to: $0) }
        await server.appendRoute("/brief/*") { await brief.respond(to: $0) }
        async let running: Void = server.run()
        try await server.waitUntilListening()
        if case .ip4(_, let port) = await server.listeningAddress {
            // Not with `print`, which keeps the text until there is more.
            try FileHandle.standardOutput.write(contentsOf: Data("http://127.0.0.1:\(port)\n".utf8))
        }
        try await running
    }
}
