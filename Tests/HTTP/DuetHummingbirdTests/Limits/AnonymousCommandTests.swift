import Duet
import DuetHTTP
import DuetHummingbird
import DuetTesting
import HTTPTypes
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
        try mountBell(on: router)
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

    @Test
    func `a client that has disconnected uses its quota, too`() async throws {
        let (events, event) = AsyncStream.makeStream(of: Held.Event.self)
        let router = Router(context: ConnectionContext.self)
        router.add(middleware: Held(event: event))
        try mountBell(on: router)
        try await withServer(router.buildResponder()) { port in
            for _ in 1...2 {
                try await RawConnection.open(port) { connection in
                    try await connection.send(
                        "POST /bell HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nX-Held: 1\r\n\r\n"
                    )
                    #expect(await events.first { _ in true } == .arrived)
                    try await connection.reset()
                }
                #expect(await events.first { _ in true } == .handled)
            }
            #expect(try await answer("POST", "", port).hasPrefix("HTTP/1.1 429 "))
        }
    }

    /// Mounts the messages with a quota of two commands in a minute.
    private func mountBell(on router: Router<some RequestContext>) throws {
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
    }
}

/// Forwards a request with `X-Held` when its connection has ended.
private struct Held: RouterMiddleware {
    enum Event {
        case arrived, handled
    }

    let event: AsyncStream<Event>.Continuation

    func handle(
        _ request: Request,
        context: ConnectionContext,
        next: @concurrent (Request, ConnectionContext) async throws -> Response
    ) async throws -> Response {
        guard request.headers.contains(where: { $0.name.canonicalName == "x-held" }) else {
            return try await next(request, context)
        }
        event.yield(.arrived)
        defer { event.yield(.handled) }
        try await context.channel.closeFuture.get()
        return try await next(request, context)
    }
}
