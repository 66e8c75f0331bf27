import Duet
import DuetCaching
import DuetTesting
import Testing

@Suite
struct InvalidationTests {
    @Test func `a command invalidates the values that its rule chooses`() async throws {
        let world = try World()
        _ = try await world.notes()
        _ = try await world.dispatcher.dispatch(LoadNotes(folder: "work"))
        try await world.dispatcher.dispatch(AddNote(text: "Bread"))
        #expect(try await world.notes() == ["Milk", "Bread"])
        _ = try await world.dispatcher.dispatch(LoadNotes(folder: "work"))
        #expect(world.server.loads == 3)
    }

    @Test func `a failed command invalidates too`() async throws {
        let world = try World()
        _ = try await world.notes()
        world.server.failure = NoConnection()
        await #expect(throws: NoConnection()) { try await world.dispatcher.dispatch(AddNote(text: "Bread")) }
        world.server.failure = nil
        #expect(try await world.notes() == ["Milk", "Bread"])
    }

    /// The ways to invalidate the value of `LoadNotes()`.
    enum Way: CaseIterable {
        case predicate, type, everything, tag, manually, manuallySome, removal

        func invalidate(_ dispatcher: CachingDispatcher) async throws {
            switch self {
            case .predicate: try await dispatcher.dispatch(AddNote(text: "Bread"))
            case .type: try await dispatcher.dispatch(RemoveNote())
            case .everything: try await dispatcher.dispatch(SignOut())
            case .tag: dispatcher.cache.invalidate(tag: "folder:home")
            case .manually: dispatcher.cache.invalidate(LoadNotes.self)
            case .manuallySome: dispatcher.cache.invalidate(LoadNotes.self) { $0.folder == "home" }
            case .removal: try await dispatcher.cache.removeAll()
            }
        }
    }

    private func world(_ policy: CachePolicy<[String]> = .untilInvalidated) throws -> World {
        try World {
            Cache(LoadNotes.self, policy, tags: { ["folder:\($0.folder)"] })
            Invalidate(LoadNotes.self, after: AddNote.self) { $0.folder == $1.folder }
            Invalidate(LoadNotes.self, after: RemoveNote.self)
            Invalidate(everythingAfter: SignOut.self)
        }
    }

    @Test(arguments: Way.allCases)
    func `an invalidated value is loaded again`(way: Way) async throws {
        let world = try world()
        _ = try await world.notes()
        try await way.invalidate(world.dispatcher)
        _ = try await world.notes()
        #expect(world.server.loads == 2)
    }

    @Test(arguments: Way.allCases)
    func `a load that began before an invalidation is not stored or shared`(way: Way) async throws {
        let world = try world()
        let gate = world.server.holdNext()
        let before = Task { try await world.result() }
        await gate.arrivals(1)
        try await way.invalidate(world.dispatcher)
        world.server.notes = ["New"]
        #expect(try await world.notes() == ["New"])
        gate.open()
        let outdated = try await before.value
        #expect(outdated.value == ["Milk"])
        #expect(outdated.isStale)
        #expect(try await world.notes() == ["New"])
        #expect(world.server.loads == 2)
    }

    @Test(arguments: Way.allCases)
    func `an invalidated value is not served while revalidating`(way: Way) async throws {
        let world = try world(.maxAge(.seconds(60)).staleWhileRevalidate(.days(1)))
        _ = try await world.notes()
        try await way.invalidate(world.dispatcher)
        world.server.notes = ["New"]
        #expect(try await world.notes() == ["New"])
    }

    @Test func `an invalidated value is served as stale if loading fails, but a removed one is not`() async throws {
        let world = try world(.maxAge(.seconds(60)).staleIfError(.days(1)))
        _ = try await world.notes()
        world.dispatcher.cache.invalidateAll()
        world.server.failure = NoConnection()
        #expect(try await world.result().isStale)
        try await world.dispatcher.cache.removeAll()
        await #expect(throws: NoConnection()) { try await world.result() }
    }
}

/// Tests of handlers that check whether their result is still valid.
@Suite
struct CacheLoadTests {
    @Test func `a handler sees that its load was invalidated`() async throws {
        let gate = Gate()
        let dispatcher = try StandardDispatcher { InvalidatedHandler(gate: gate) }
            .caching(in: .memory(limit: .entries(1))) {
                Cache(IsInvalidated.self, .untilInvalidated)
                Invalidate(IsInvalidated.self, after: SignOut.self)
            }
        let load = Task { try await dispatcher.dispatch(IsInvalidated()) }
        await gate.arrivals(1)
        await #expect(throws: (any Error).self) { try await dispatcher.dispatch(SignOut()) }
        gate.open()
        #expect(try await load.value == [false, true])
        #expect(try await dispatcher.dispatch(IsInvalidated()) == [false, false])
        #expect(CacheLoad.current.map(\.isInvalidated) == nil)
    }

    @Test func `a handler that ignores its cancellation sees that another load has replaced its own`() async throws {
        let (gate, seen) = (Gate(), Monitor<[Bool]>([]))
        let dispatcher = try StandardDispatcher { DeafHandler(gate: gate, seen: seen) }
            .caching(in: .memory(limit: .entries(1))) { Cache(IsInvalidated.self, .untilInvalidated) }
        let first = Task { try await dispatcher.dispatch(IsInvalidated()) }
        await gate.arrivals(1)
        first.cancel()
        _ = await first.result
        async let second = dispatcher.dispatch(IsInvalidated())
        await gate.arrivals(2)
        dispatcher.cache.invalidate(IsInvalidated.self) { _ in true }
        gate.open()
        _ = try await second
        try await seen.wait { $0.count == 2 ? () : nil }
        #expect(seen.read(\.self) == [true, true])
    }
}

private struct IsInvalidated: Query, Hashable {
    typealias Value = [Bool]
}

private struct InvalidatedHandler: QueryHandler {
    let gate: Gate

    func handle(_ query: IsInvalidated) async throws -> [Bool] {
        let before = CacheLoad.current?.isInvalidated ?? true
        try await gate.pass()
        return [before, CacheLoad.current?.isInvalidated ?? true]
    }
}

/// Notes for each call whether its load was invalidated.
private struct DeafHandler: QueryHandler {
    let gate: Gate
    let seen: Monitor<[Bool]>

    func handle(_ query: IsInvalidated) async throws -> [Bool] {
        let load = CacheLoad.current
        try await Task { try await gate.pass() }.value
        seen.update { $0.append(load?.isInvalidated ?? false) }
        return []
    }
}
