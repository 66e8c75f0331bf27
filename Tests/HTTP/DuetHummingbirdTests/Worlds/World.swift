import Duet
import DuetAsyncHTTPClient
import DuetHTTP
import DuetHummingbird
import DuetTesting
import Foundation
import Hummingbird
import TestSupport
import Testing

/// A place where messages are handled.
enum World: CaseIterable {
    /// In this process, without HTTP.
    case process
    /// In this process, as HTTP requests to a router.
    case router
    /// By a server, over a socket.
    case socket

    /// Runs a test with a dispatcher to a notebook.
    func run(
        _ notebook: Notebook,
        _ test: @Sendable @escaping @concurrent (any Dispatcher) async throws -> Void
    ) async throws {
        switch self {
        case .process:
            try await test(notebook)
        case .router:
            let client = BearerTokenHTTPClient("editor", base: RouterHTTPClient(try Router.notes(notebook)))
            try await test(HTTPDispatcher(baseURL: try #require(URL(string: "http://notes.example")), client: client))
        case .socket:
            try await withServer(Router.notes(notebook).buildResponder()) { port in
                let client = NIOHTTPClient(clock: ManualClock())
                let result: Result<Void, any Error>
                do {
                    let base = try #require(URL(string: "http://127.0.0.1:\(port)"))
                    result = .success(
                        try await test(
                            HTTPDispatcher(baseURL: base, client: BearerTokenHTTPClient("editor", base: client))
                        )
                    )
                } catch {
                    result = .failure(error)
                }
                try await client.shutdown()
                try result.get()
            }
        }
    }
}
