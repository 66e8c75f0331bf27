import Duet
import DuetCaching
import DuetHTTP
import DuetHTTPCaching
import HTTPTypes
import Synchronization
import Testing

/// A cache of responses, which does not know what a command changes, below dispatchers that do.
struct LoadAfterChangeTests {
    private let origin: ScriptedOrigin
    private let dispatcher: HTTPDispatcher

    init() throws {
        let isLocked = Mutex(false)
        let origin = ScriptedOrigin { sent in
            guard sent.request.method == .put else {
                return .init(
                    200,
                    ["Content-Type: application/json", "Cache-Control: max-age=60"],
                    "\(isLocked.withLock { $0 })"
                )
            }
            isLocked.withLock { $0 = true }
            return .init(204)
        }
        self.origin = origin
        dispatcher = HTTPDispatcher(baseURL: try BaseURL("https://example.com"), client: origin.caching())
    }

    private var requests: [String] {
        origin.sent.map { "\($0.request.method) \($0.field(.cacheControl) ?? "")" }
    }

    @Test func `an answer is requested from the server`() async throws {
        _ = try await dispatcher.dispatch(IsLocked())
        #expect(try await dispatcher.answer(to: Lock()))
        #expect(requests == ["GET ", "PUT ", "GET no-cache"])
    }

    @Test func `a load after a command is requested from the server`() async throws {
        let cached = try dispatcher.caching(in: .memory(limit: .entries(10))) {
            Cache(IsLocked.self, .maxAge(.hours(1)))
            Invalidate(IsLocked.self, after: LockAll.self)
        }
        #expect(try await !dispatcher.dispatch(IsLocked()))
        #expect(try await !cached.dispatch(IsLocked()))
        try await cached.dispatch(LockAll())
        #expect(try await cached.dispatch(IsLocked()))
        #expect(requests == ["GET ", "PUT ", "GET no-cache"])
    }

    @Test func `a load before any command may get a stored response, also without a connection`() async throws {
        let cached = try dispatcher.caching(in: .memory(limit: .entries(10))) { Cache(IsLocked.self, .maxAge(.zero)) }
        for _ in 1...2 { #expect(try await !cached.dispatch(IsLocked())) }
        #expect(requests == ["GET "])
    }

    @Test func `directives of a route stay alone`() async throws {
        let cached = try dispatcher.caching(in: .memory(limit: .entries(10))) {
            Cache(IsLockedOffline.self, .maxAge(.hours(1)))
            Invalidate(IsLockedOffline.self, after: LockAll.self)
        }
        _ = try await dispatcher.dispatch(IsLocked())
        try await cached.dispatch(LockAll())
        #expect(try await !cached.dispatch(IsLockedOffline()))
    }

    @Test func `a fresh value is requested from the server`() async throws {
        let cached = try dispatcher.caching(in: .memory(limit: .entries(10))) {
            Cache(IsLocked.self, .maxAge(.hours(1)))
        }
        _ = try await cached.dispatch(IsLocked())
        try await dispatcher.dispatch(LockAll())
        #expect(try await cached.read(IsLocked(), .fresh).value)
    }

    @Test func `another dispatch may get a stored response`() async throws {
        for _ in 1...2 { _ = try await dispatcher.dispatch(IsLocked()) }
        _ = try await dispatcher.read(IsLocked())
        #expect(requests == ["GET "])
    }
}

private struct IsLocked: HTTPQuery, Hashable {
    typealias Value = Bool
    static let route: QueryRoute<Self> = .get("issues/1")
}

private struct IsLockedOffline: HTTPQuery, Hashable {
    typealias Value = Bool
    static let route: QueryRoute<Self> = .get("issues/1").requestHeaders(.cacheControl(.onlyIfCached))
}

private struct Lock: HTTPCommand, AnsweredCommand {
    static let route: CommandRoute<Self> = .put("issues/1/lock")
    func answer(from _: Bool?) -> IsLocked? { IsLocked() }
}

private struct LockAll: HTTPCommand {
    static let route: CommandRoute<Self> = .put("locks")
}
