import Duet
import DuetCaching
import DuetContext
import DuetTesting
import Foundation
import ServiceContextModule
import Synchronization
import TestSupport
import Testing

/// The tenant of the current task.
private enum TenantKey: ServiceContextKey { typealias Value = String }

@Suite
struct CachingTests {
    @Test func `a hit does not load`() async throws {
        let world = try World()
        #expect(try await world.notes() == ["Milk"])
        world.server.notes = ["Bread"]
        #expect(try await world.notes() == ["Milk"])
        #expect(world.server.loads == 1)
    }

    @Test(arguments: [(59.0, 1), (60, 2), (61, 2)])
    func `a value is fresh until its maximum age`(age: Double, loads: Int) async throws {
        let world = try World()
        _ = try await world.notes()
        world.date.advance(by: age)
        _ = try await world.notes()
        #expect(world.server.loads == loads)
    }

    @Test func `one manual clock lets values age and ends timeouts`() async throws {
        let clock = ManualClock(startingAt: Date(timeIntervalSinceReferenceDate: 780_000_000))
        let server = Server()
        let dispatcher = try server.caching(in: .memory(limit: .entries(10)), now: { clock.date }, clock: clock) {
            Cache(LoadNotes.self, .maxAge(.minutes(5)).hardTimeout(.seconds(10)))
        }
        _ = try await dispatcher.dispatch(LoadNotes())
        clock.advance(by: .minutes(5) - .milliseconds(1))
        #expect(dispatcher.cache.peek(LoadNotes()) == ["Milk"])
        clock.advance(by: .milliseconds(1))
        #expect(dispatcher.cache.peek(LoadNotes()) == nil)
        let gate = server.holdNext()
        let read = Task { try await dispatcher.dispatch(LoadNotes()) }
        await gate.arrivals(1)
        #expect(await clock.nextSleeper() == .seconds(10))
        clock.advance(by: .seconds(10))
        await #expect(throws: CacheTimeout.self) { try await read.value }
        gate.open()
    }

    @Test func `a value from the future is stale`() async throws {
        let world = try World()
        _ = try await world.notes()
        world.date.advance(by: -1)
        _ = try await world.notes()
        #expect(world.server.loads == 2)
    }

    @Test func `different queries have different values`() async throws {
        let world = try World()
        #expect(try await world.notes() == ["Milk"])
        #expect(try await world.dispatcher.dispatch(LoadNotes(folder: "work")) == [])
        #expect(world.server.loads == 2)
    }

    @Test func `a query without a rule is always loaded`() async throws {
        let world = try World()
        for _ in 0..<2 { #expect(try await world.dispatcher.dispatch(LoadNote(id: 1)) == "Note 1") }
        #expect(world.server.loads == 2)
    }

    @Test func `principals do not see each other's values`() async throws {
        let world = try World()
        for id in ["ada", "bob", "ada", "padA"] {
            try await withPrincipal(Principal(id: id)) { _ = try await world.notes() }
        }
        _ = try await world.notes()
        #expect(world.server.loads == 4)
    }

    @Test func `principals and names that are canonically equivalent do not share values`() async throws {
        let world = try World()
        for id in ["Jos\u{E9}", "Jose\u{301}", "Jos\u{E9}"] {
            try await withPrincipal(Principal(id: id)) { _ = try await world.notes() }
        }
        #expect(world.server.loads == 2)
        let tenant = Mutex("Jos\u{E9}")
        let byTenant = try World { Cache(LoadNotes.self, .untilInvalidated, scope: .named { tenant.withLock(\.self) }) }
        _ = try await byTenant.notes()
        tenant.withLock { $0 = "Jose\u{301}" }
        _ = try await byTenant.notes()
        #expect(byTenant.server.loads == 2)
    }

    @Test func `callers that a handler can tell apart do not share values`() async throws {
        let world = try World()
        let principals = [
            Principal(id: "ann"), Principal(id: "ann", scopes: ["read"]),
            Principal(id: "ann", scopes: ["read", "write"]),
            Principal(id: "ann", scopes: ["readwrite"]), Principal(id: "ann4:read"), Principal(id: "jann"),
        ]
        for principal in principals + principals {
            try await withPrincipal(principal) { _ = try await world.notes() }
        }
        #expect(world.server.loads == 6)
        for name in ["ann", "jann", "ann"] {
            try await withAuthority(.program(name)) { _ = try await world.notes() }
        }
        for _ in 1...2 { _ = try await world.notes() }
        #expect(world.server.loads == 9)
    }

    @Test func `an observer stays in its scope when somebody of another scope changes its value`() async throws {
        let spy = SpyDispatcher()
        let tenant: @Sendable () -> String = { ServiceContext.current?[TenantKey.self] ?? "" }
        spy.stub(LoadNotes.self) { _ in ["\(spy.messages.count) of \(tenant())"] }
        spy.stub(AddNote.self)
        let dispatcher = try spy.caching(in: .memory(limit: .entries(10))) {
            Cache(LoadNotes.self, .maxAge(.hours(1)), scope: .named(tenant))
            Invalidate(LoadNotes.self, after: AddNote.self)
        }
        func with<Value>(_ tenant: String, _ body: () async throws -> Value) async rethrows -> Value {
            var context = ServiceContext.topLevel
            context[TenantKey.self] = tenant
            return try await ServiceContext.withValue(context, operation: body)
        }
        try await with("a") {
            var states = dispatcher.observe(LoadNotes()).makeAsyncIterator()
            while await states.next()?.value != ["1 of a"] {}
            try await with("b") { try await dispatcher.dispatch(AddNote(text: "Bread")) }
            while await states.next()?.value != ["3 of a"] {}
        }
    }

    @Test func `a value is not stored if the name of its scope differs when the load ends`() async throws {
        let tenant = Mutex("a")
        let (spy, started, response) = (SpyDispatcher(), Gate(), Gate())
        let gated = Mutex(true)
        spy.stub(LoadNotes.self) { _ in
            if gated.withLock(\.self) {
                started.open()
                try await response.pass()
            }
            return ["rows of " + tenant.withLock(\.self)]
        }
        let dispatcher = try spy.caching(in: .memory(limit: .entries(10))) {
            Cache(LoadNotes.self, .maxAge(.hours(1)), scope: .named { tenant.withLock(\.self) })
        }
        var states = dispatcher.observe(LoadNotes()).makeAsyncIterator()
        try await started.pass()
        gated.withLock { $0 = false }
        tenant.withLock { $0 = "b" }
        let loads = spy.messages.count
        response.open()
        var state = try #require(await states.next())
        while state.isLoading { state = try #require(await states.next()) }
        // The observer of the other scope gets nothing, and does not load again and again.
        #expect(state.value == nil)
        #expect(spy.messages.count == loads)
        tenant.withLock { $0 = "a" }
        await #expect(throws: NotCached.self) { try await dispatcher.read(LoadNotes(), .cacheOnly) }
        #expect(try await dispatcher.dispatch(LoadNotes()) == ["rows of a"])
        tenant.withLock { $0 = "b" }
        #expect(try await dispatcher.dispatch(LoadNotes()) == ["rows of b"])
    }

    @Test func `a shared value is loaded once for all principals`() async throws {
        let world = try World { Cache(LoadNotes.self, .untilInvalidated, scope: .shared) }
        for id in ["ada", "bob"] { try await withPrincipal(Principal(id: id)) { _ = try await world.notes() } }
        #expect(world.server.loads == 1)
    }

    @Test func `a principal and a tenant of the same name do not share values`() async throws {
        let server = Server()
        let memory = CacheMemory.memory(limit: .entries(10))
        let byTenant = try server.caching(in: memory) {
            Cache(LoadNotes.self, .untilInvalidated, scope: .named { "ada" })
        }
        _ = try await byTenant.dispatch(LoadNotes())
        try await withPrincipal(Principal(id: "ada")) { _ = try await byTenant.dispatch(LoadNotes()) }
        #expect(server.loads == 1)
    }

    @Test func `an error is not stored`() async throws {
        let world = try World()
        world.server.failure = NoConnection()
        await #expect(throws: NoConnection()) { try await world.notes() }
        world.server.failure = nil
        #expect(try await world.notes() == ["Milk"])
    }

    @Test(arguments: [(4.0, true), (5, false), (6, false)])
    func `an error is stored for a limited time if the policy stores errors`(age: Double, isThrown: Bool) async throws {
        let world = try World(.maxAge(.seconds(60)).cachingErrors(for: .seconds(5)) { $0 is NoConnection })
        world.server.failure = NoConnection()
        await #expect(throws: NoConnection()) { try await world.notes() }
        world.server.failure = nil
        world.date.advance(by: age)
        let result = try? await world.notes()
        #expect((result == nil) == isThrown)
    }

    @Test func `each invalid rule is reported`() throws {
        let error = #expect(throws: InvalidCacheRules.self) {
            try World(in: .memory(limit: .weight(0))) {
                Cache(LoadNotes.self, .maxAge(.seconds(-1)).jitter(2))
                Cache(LoadNotes.self, .untilInvalidated, weight: \.count)
                Invalidate(LoadNote.self, after: AddNote.self)
            }
        }
        #expect(error?.faults.count == 6)
    }

    private struct Twin: Query, Hashable {
        typealias Value = Int
        static let messageName = LoadNote.messageName
    }

    private struct CommandTwin: Command {
        static let messageName = LoadNote.messageName
    }

    @Test func `messages with one name are reported, wherever the rules name them`() throws {
        let message = "Two messages have the name \(LoadNote.messageName). Declare another messageName in one of them."
        let queries = #expect(throws: InvalidCacheRules.self) {
            try World(in: .memory(limit: .entries(1))) {
                Cache(LoadNote.self, .untilInvalidated)
                Cache(Twin.self, .untilInvalidated)
            }
        }
        #expect(queries?.faults == [message])
        let command = #expect(throws: InvalidCacheRules.self) {
            try World(in: .memory(limit: .entries(1))) {
                Cache(LoadNote.self, .untilInvalidated)
                Invalidate(everythingAfter: CommandTwin.self, AddNote.self)
            }
        }
        #expect(command?.faults == [message])
        let update = #expect(throws: InvalidCacheRules.self) {
            try World(in: .memory(limit: .entries(1))) {
                Cache(LoadNote.self, .untilInvalidated)
                Cache(LoadNotes.self, .untilInvalidated)
                Invalidate(everythingAfter: AddNote.self, CommandTwin.self)
                OptimisticUpdate(LoadNotes.self, by: CommandTwin.self) { _, _, _ in }
            }
        }
        #expect(update?.faults == [message])
    }

    @Test func `a cache that is no longer used is released`() async throws {
        let leaks = LeakTracker()
        do {
            let world = try World()
            leaks.track(world.dispatcher.cache)
            leaks.track(world.server)
            _ = try await world.notes()
        }
        #expect(leaks.count == 2)
        #expect(leaks.alive == [])
    }
}
