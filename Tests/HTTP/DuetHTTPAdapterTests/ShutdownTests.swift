import DuetHTTP
import Foundation
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ShutdownTests {
    @Test(arguments: Adapter.allCases)
    func `a client that was shut down says so, and can be shut down again`(adapter: Adapter) async throws {
        try await adapter.withServer({ _ in [.answer()] }) { server, client in
            try await client.shutdown()
            try await client.shutdown()
            try await expect(.shutDown) { try await client.data(for: server.request()) }
            #expect(server.log.entry.accepted == 0)
        }
    }

    @Test(arguments: Adapter.allCases)
    func `shutting down ends the requests under way`(adapter: Adapter) async throws {
        try await adapter.withServer({ _ in [] }) { server, client in
            let request = server.request()
            let task = Task { try await client.data(for: request) }
            await server.log.until { $0.requests.count == 1 }
            try await client.shutdown()

            try await expect(.shutDown) { try await task.value }
            await server.log.until { $0.open == 0 }
        }
    }
}
