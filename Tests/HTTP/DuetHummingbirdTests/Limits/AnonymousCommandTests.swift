import Duet
import DuetHTTP
import DuetHummingbird
import DuetTesting
import Hummingbird
import TestSupport
import Testing

/// How often a client without credentials may send a command.
struct AnonymousCommandTests {
    private struct Ring: HTTPCommand {
        static let route: CommandRoute<Self> = .post("bell")
    }

    private struct LoadRings: HTTPQuery {
        typealias Value = Int
        static let route: QueryRoute<Self> = .get("bell")
    }

    private struct RingHandler: CommandHandler {
        func handle(_ command: Ring) {}
    }

    private struct LoadRingsHandler: QueryHandler {
        func handle(_ query: LoadRings) -> Int { 3 }
    }

    private func answer(_ method: String, _ fields: String, _ port: Int) async throws -> String {
        try await RawConnection.open(port) { connection in
            try await connection.send("\(method) /bell HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\(fields)\r\n")
            return await connection.read(until: "\r\n\r\n")
        }
    }

    @Test
    func `a client without credentials has a quota of commands, and others have none`() async throws {
        let router = Router()
        let dispatcher = try StandardDispatcher {
            RingHandler()
            LoadRingsHandler()
        }
        let api = MessageAPI.open {
            Ring.self
            LoadRings.self
        }
        let options = MountOptions(anonymousCommands: ClientQuota(2, per: .seconds(60), clock: ManualClock()))
        try router.mount(api, dispatcher, authenticator: Tokens(), options: options)
        try await withServer(router.buildResponder()) { port in
            for _ in 1...2 { #expect(try await answer("POST", "", port).hasPrefix("HTTP/1.1 204 ")) }
            let refused = try await answer("POST", "", port)
            #expect(refused.hasPrefix("HTTP/1.1 429 "))
            #expect(refused.contains("Retry-After: 30\r\n"))
            #expect(try await answer("GET", "", port).hasPrefix("HTTP/1.1 200 "))
            for _ in 1...3 {
                #expect(try await answer("POST", "Authorization: Bearer reader\r\n", port).hasPrefix("HTTP/1.1 204 "))
            }
            #expect(try await answer("POST", "", port).hasPrefix("HTTP/1.1 429 "))
        }
    }
}
