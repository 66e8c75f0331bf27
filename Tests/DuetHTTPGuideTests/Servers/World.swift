import Duet
import DuetHTTP
import DuetTesting
import Foundation
import Testing

/// A place where the guide's messages are handled.
enum World: CaseIterable {
    /// By PocketBase, over a socket.
    case pocketBase

    /// By the handlers of the guide, behind a router in this process.
    case router

    /// Runs `operation` with a dispatcher to this place.
    func withAPI(_ operation: (any Dispatcher) async throws -> Void) async throws {
        switch self {
        case .pocketBase:
            let login = try #require(PocketBaseTrait.login)
            try await withClient { try await operation(try makeAPI($0, login: login)) }
        case .router:
            let login = Login(url: try #require(URL(string: "http://localhost")), email: "", password: "")
            try await operation(try makeAPI(RouterHTTPClient(makeRouter(SpeakerStore())), login: login))
        }
    }
}
