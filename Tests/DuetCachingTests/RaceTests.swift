import Duet
import DuetCaching
import DuetContext
import DuetTesting
import Foundation
import Synchronization
import Testing

/// Races and mix-ups that are easy to build into a cache.
@Suite(.timeLimit(.minutes(1)))
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
            var states = dispatcher.states(of: WhoAmI()).makeAsyncIterator()
            while let state = await states.next(), state.value == nil || state.isLoading {}
            try await withPrincipal(Principal(id: "bob")) { try await dispatcher.dispatch(Touch()) }
            while let state = await states.next(), state.isLoading || state.isStale {}
            #expect(try await dispatcher.dispatch(WhoAmI()) == "ada")
        }
    }

    @Test func `values are loaded again after all rules of a command`() async throws {
        let world = try World { Cache(LoadNotes.self, .untilInvalidated) }
        let outer = CopyingDispatcher(notes: world.dispatcher)
        let cache = try QueryCache(in: .memory(limit: .entries(10))) {
            Cache(CopyNotes.self, .untilInvalidated)
            Cache(LoadNotes.self, .untilInvalidated)
            Invalidate(CopyNotes.self, after: AddNote.self)
            Invalidate(LoadNotes.self, after: AddNote.self)
        }
        let dispatcher = outer.caching(with: cache)
        outer.setNotes(world.server.caching(with: cache))
        var values = dispatcher.observe(CopyNotes()).makeAsyncIterator()
        #expect(try await values.next() == ["Milk"])
        try await dispatcher.dispatch(AddNote(text: "Bread"))
        #expect(try await values.next() == ["Milk", "Bread"])
    }

    @Test func `a value that is read from the store while it is removed there is not fresh`() async throws {
        let server = Server()
        let store = FaultyCacheStore()
        func launch() throws -> CachingDispatcher {
            try server.caching(in: .memory(limit: .entries(10)).backed(by: store)) {
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

    @Test func `the longest age is a legal one`() {
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

/// A query whose handler asks for the notes.
private struct CopyNotes: Query, Hashable {
    typealias Value = [String]
}

/// Handles `CopyNotes` with the notes of another dispatcher, which is set later.
private final class CopyingDispatcher: Dispatcher {
    private let notes: Mutex<any Dispatcher>

    init(notes: any Dispatcher) {
        self.notes = Mutex(notes)
    }

    func setNotes(_ notes: any Dispatcher) { self.notes.withLock { $0 = notes } }

    func dispatch<M: Message>(_ message: M) async throws -> M.Value {
        let notes = notes.withLock(\.self)
        guard message is CopyNotes else { return try await notes.dispatch(message) }
        guard let value = try await notes.dispatch(LoadNotes()) as? M.Value else { throw NoConnection() }
        return value
    }
}
