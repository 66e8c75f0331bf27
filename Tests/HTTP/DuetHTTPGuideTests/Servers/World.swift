import Duet
import DuetHTTP
import DuetTesting
import Testing

/// A place where the guide's messages are handled.
enum World: CaseIterable {
    /// By PocketBase, over a socket.
    case pocketBase

    /// By handlers behind a router in this process.
    case router

    /// Runs `operation` with a dispatcher to this place.
    func withAPI(_ operation: (any Dispatcher) async throws -> Void) async throws {
        switch self {
        case .pocketBase:
            let login = try #require(PocketBaseTrait.login)
            try await withClient { try await operation(try login.makeDispatcher($0)) }
        case .router:
            let client = RouterHTTPClient(try SpeakerServer().router).authenticated(by: .bearer("a-long-secret"))
            let server = try BaseURL("http://localhost")
            try await operation(HTTPDispatcher(SpeakerServer.messages, baseURL: server, client: client))
        }
    }
}
