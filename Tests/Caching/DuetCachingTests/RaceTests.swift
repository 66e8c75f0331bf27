import Duet
import DuetCaching
import DuetContext
import DuetTesting
import Foundation
import Synchronization
import TestSupport
import Testing

/// Races and mix-ups that are easy to build into a cache.
@Suite(.timeLimit(.minutes(5)))
struct RaceTests {
    @Test func `an observed value is loaded again for its observer, not for the sender of a command`() async throws {
        let dispatcher = try StandardDispatcher {
            WhoAmIHandler()
            TouchHandler()
        }.caching(in: .memory(limit: .entries(10))) {
            Cache(WhoAmI.self, .untilInvalidated)
            Invalidate(WhoAmI.self, after: Touch.self)
        }
        try await withPrincipal(Principal(id: "ada")) {
            var states = dispatcher.observe(WhoAmI()).makeAsyncIterator()
            while let state = await states.next(), state.value == nil || state.isLoading {}
            try await withPrincipal(Principal(id: "bob")) { try await dispatcher.dispatch(Touch()) }
            while let state = await states.next(), state.isLoading || state.isStale {}
            #expect(try await dispatcher.dispatch(WhoAmI()) == "ada")
        }
    }

    @Test func `values are loaded again after all rules of a command`() async throws {
        let outer = CopyingDispatcher()
        let cache = try QueryCache(in: .memory(limit: .entries(10))) {
            Cache(CopyNotes.self, .untilInvalidated)
            Cache(LoadNotes.self, .untilInvalidated)
            Invalidate(CopyNotes.self, after: AddNote.self)
            Invalidate(LoadNotes.self, after: AddNote.self)
        }
        let dispatcher = outer.caching(with: cache)
        outer.setNotes(Server().caching(with: cache))
        var values = dispatcher.observe(CopyNotes()).values.makeAsyncIterator()
        #expect(try await values.next() == ["Milk"])
        try await dispatcher.dispatch(AddNote(text: "Bread"))
        #expect(try await values.next() == ["Milk", "Bread"])
    }

    @Test func `a value that is read from the store while it is removed there is not fresh`() async throws {
        let server = Server()
        let store = FaultyCacheStore()
        func launch() throws -> CachingDispatcher {
            try server.caching(in: .stored(in: store)) {
                Cache(LoadNotes.self, .untilInvalidated).stored(version: 1)
                Invalidate(LoadNotes.self, after: AddNote.self) { $0.folder == $1.folder }
            }
        }
        let first = try launch()
        _ = try await first.dispatch(LoadNotes())
        try await first.cache.flush()
        let second = try launch()
        second.cache.invalidate(LoadNotes.self) { _ in true }
        let gate = Gate()
        store.inject(.delay(gate), into: .value)
        let read = Task { try await second.dispatch(LoadNotes()) }
        try await second.cache.flush()
        server.notes = ["New"]
        gate.open()
        #expect(try await read.value == ["New"])
    }

    @Test func `a load between two rules of a command is not stored`() async throws {
        let outer = CopyingDispatcher()
        let between = Hook()
        let cache = try QueryCache(in: .memory(limit: .entries(10))) {
            Cache(CopyNotes.self, .untilInvalidated)
            Cache(LoadNotes.self, .untilInvalidated, tags: { [$0.folder] })
            Invalidate(CopyNotes.self, after: AddNote.self)
            Invalidate(tags: { (_: AddNote) in between.run() }, after: AddNote.self)
            Invalidate(LoadNotes.self, after: AddNote.self)
        }
        let dispatcher = outer.caching(with: cache)
        let notes = Server().caching(with: cache)
        outer.setNotes(notes)
        #expect(try await dispatcher.dispatch(LoadNotes()) == ["Milk"])
        let loads = Mutex<[Task<[String], any Error>]>([])
        // The load begins at once, and finds a note that is not invalidated yet.
        between.set { loads.withLock { $0.append(.startingHere { try await dispatcher.dispatch(CopyNotes()) }) } }
        try await notes.dispatch(AddNote(text: "Bread"))
        #expect(try await loads.withLock(\.self).first?.value == ["Milk"])
        let copy = try await dispatcher.read(CopyNotes())
        #expect(copy.value == ["Milk", "Bread"])
        #expect(!copy.isStale)
    }

    @Test func `a load that all callers left neither fails an observer nor replaces a newer value`() async throws {
        for isFailing in [true, false] {
            let world = try World(.untilInvalidated.cachingErrors(for: .seconds(60)))
            let gate = world.server.holdNext(evenIfCanceled: true)
            if isFailing { world.server.failure = NoConnection() }
            let caller = Task { try await world.notes() }
            await gate.arrivals(1)
            caller.cancel()
            _ = await caller.result
            world.server.failure = nil
            world.server.notes = ["New"]
            var values = world.dispatcher.observe(LoadNotes()).values.makeAsyncIterator()
            #expect(try await values.next() == ["New"])
            gate.open()
            #expect(try await world.notes() == ["New"])
            try await world.dispatcher.dispatch(AddNote(text: "Last"))
            #expect(try await values.next() == ["New", "Last"])
        }
    }

    @Test func `an error that a cancellation caused is not cached`() async throws {
        let world = try World(.untilInvalidated.cachingErrors(for: .seconds(60)))
        let gate = world.server.holdNext(evenIfCanceled: true)
        world.server.failure = NoConnection()
        let caller = Task { try await world.notes() }
        await gate.arrivals(1)
        caller.cancel()
        await #expect(throws: CancellationError.self) { try await caller.value }
        world.server.failure = nil
        gate.open()
        #expect(try await world.notes() == ["Milk"])
    }

    @Test func `a new observer does not get a value that was invalidated or is too old`() async throws {
        let world = try World()
        var first = world.dispatcher.observe(LoadNotes()).values.makeAsyncIterator()
        #expect(try await first.next() == ["Milk"])
        world.server.failure = NoConnection()
        await #expect(throws: NoConnection()) { try await world.result(.fresh) }
        world.server.failure = nil
        try await world.dispatcher.dispatch(AddNote(text: "Bread"))
        var second = world.dispatcher.observe(LoadNotes()).values.makeAsyncIterator()
        #expect(try await second.next() == ["Milk", "Bread"])
        world.date.advance(by: 3_600)
        world.server.notes = ["Later"]
        var third = world.dispatcher.observe(LoadNotes()).values.makeAsyncIterator()
        #expect(try await third.next() == ["Later"])
    }

    @Test func `observers receive no error of a canceled refresh`() async throws {
        let world = try World()
        var states = world.dispatcher.observe(LoadNotes()).makeAsyncIterator()
        while let state = await states.next(), state.value == nil || state.isLoading {}
        let gate = world.server.holdNext()
        let refresh = Task { try await world.result(.fresh) }
        await gate.arrivals(1)
        #expect(await states.next()?.isLoading == true)
        refresh.cancel()
        let state = await states.next()
        #expect(state?.isLoading == false)
        #expect(state?.error == nil)
        #expect(state?.value == ["Milk"])
    }

    @Test func `a hung load in the background does not keep callers for more than a minute`() async throws {
        let world = try World(.untilInvalidated.hardTimeout(.seconds(1)))
        let gate = world.server.holdNext(evenIfCanceled: true)
        let first = Task { try await world.notes() }
        await gate.arrivals(1)
        await world.clock.nextSleeper()
        world.clock.advance(by: .seconds(1))
        await #expect(throws: CacheTimeout.self) { try await first.value }
        let second = Task { try await world.notes() }
        await world.clock.nextSleeper()
        world.date.advance(by: 61)
        world.server.notes = ["New"]
        // The second caller still waits for the first load.
        #expect(try await world.notes() == ["New"])
        #expect(world.server.loads == 2)
        gate.open()
        #expect(try await second.value == ["Milk"])
        #expect(try await world.notes() == ["New"])
    }

    @Test func `a removed value is never returned`() async throws {
        let world = try World(.maxAge(.seconds(60)).staleIfError(.days(1)))
        var values = world.dispatcher.observe(LoadNotes()).values.makeAsyncIterator()
        #expect(try await values.next() == ["Milk"])
        world.server.failure = NoConnection()
        try await world.dispatcher.cache.removeAll()
        var later = world.dispatcher.observe(LoadNotes()).values.makeAsyncIterator()
        await #expect(throws: NoConnection()) { try await later.next() }
        await #expect(throws: NoConnection()) { try await world.result(.freshOrStale) }
    }

    @Test func `a cached error is removed too`() async throws {
        let world = try World(.untilInvalidated.cachingErrors(for: .days(1)))
        world.server.failure = NoConnection()
        await #expect(throws: NoConnection()) { try await world.notes() }
        world.server.failure = nil
        await #expect(throws: NoConnection()) { try await world.notes() }
        try await world.dispatcher.cache.removeAll()
        #expect(try await world.notes() == ["Milk"])
    }

    @Test func `a value that cannot be compared is observed once`() async throws {
        let world = try World { Cache(LoadOpaque.self, .untilInvalidated) }
        let source = OpaqueSource()
        let dispatcher = source.caching(with: world.dispatcher.cache)
        var values = dispatcher.observe(LoadOpaque()).values.makeAsyncIterator()
        #expect(try await values.next()?.number == 1)
        source.isFailing.withLock { $0 = true }
        _ = try? await dispatcher.read(LoadOpaque(), .fresh)
        source.isFailing.withLock { $0 = false }
        _ = try await dispatcher.read(LoadOpaque(), .fresh)
        #expect(try await values.next()?.number == 3)
    }

    @Test func `the longest age is valid`() {
        #expect("\(CachePolicy<Int>.maxAge(.seconds(Int.max)))".hasPrefix("maximum age "))
    }
}

private struct WhoAmI: Query, Hashable {
    typealias Value = String
}

private struct WhoAmIHandler: QueryHandler {
    func handle(_ query: WhoAmI) async throws -> String { Principal.current?.id ?? "nobody" }
}

private struct Touch: Command {}

private struct TouchHandler: CommandHandler {
    func handle(_ command: Touch) async throws {}
}

/// A query whose handler dispatches the query for the notes.
private struct CopyNotes: Query, Hashable {
    typealias Value = [String]
}

private struct Opaque: Sendable {
    let number: Int
}

private struct LoadOpaque: Query, Hashable {
    typealias Value = Opaque
}

/// Returns values that cannot be compared.
private final class OpaqueSource: Dispatcher {
    let isFailing = Mutex(false)
    private let count = Mutex(0)

    func dispatch<M: Message>(_ message: M) async throws -> M.Value {
        let number = count.withLock { count in
            count += 1
            return count
        }
        guard !isFailing.withLock(\.self), let value = Opaque(number: number) as? M.Value else { throw NoConnection() }
        return value
    }
}

/// An additional action of a rule, which is set later.
private final class Hook: Sendable {
    private let body = Mutex<(@Sendable () -> Void)?>(nil)

    func set(_ body: @escaping @Sendable () -> Void) { self.body.withLock { $0 = body } }

    func run() -> [String] {
        body.withLock(\.self)?()
        return []
    }
}

/// Handles `CopyNotes` with the notes of another dispatcher, which is set later.
private final class CopyingDispatcher: Dispatcher {
    private let notes = Mutex<(any Dispatcher)?>(nil)

    func setNotes(_ notes: any Dispatcher) { self.notes.withLock { $0 = notes } }

    func dispatch<M: Message>(_ message: M) async throws -> M.Value {
        guard let notes = notes.withLock(\.self) else { throw NoConnection() }
        guard message is CopyNotes else { return try await notes.dispatch(message) }
        guard let value = try await notes.dispatch(LoadNotes()) as? M.Value else { throw NoConnection() }
        return value
    }
}
