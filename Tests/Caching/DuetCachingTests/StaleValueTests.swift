import Duet
import DuetCaching
import DuetContext
import DuetTesting
import Foundation
import TestSupport
import Testing

/// Tests of values that commands make stale, and that later launches find in the store.
@Suite
struct StaleValueTests {
    private let server = Server()
    private let store = FaultyCacheStore()
    private let date = TestDate(Date(timeIntervalSinceReferenceDate: 0))

    private func launch(
        _ policy: CachePolicy<[String]> = .maxAge(.seconds(30)).staleIfError(.days(30))
    ) throws -> CachingDispatcher {
        try server.caching(in: .stored(in: store), now: date.now) {
            Cache(LoadNotes.self, policy, tags: { ["folder:\($0.folder)"] }).stored(version: 1)
            Invalidate(LoadNotes.self, after: AddNote.self) { $0.folder == $1.folder }
            Invalidate(LoadNotes.self, after: RemoveNote.self)
            Invalidate(tag: "folder:home", after: RenameFolder.self)
            Invalidate(everythingAfter: SignOut.self)
        }
    }

    /// The ways to make the value of `LoadNotes()` stale.
    enum Way: CaseIterable {
        case predicate, type, tag, everything, failedCommand, otherCache

        func invalidate(_ dispatcher: CachingDispatcher, _ server: Server) async throws {
            switch self {
            case .predicate: try await dispatcher.dispatch(AddNote(text: "Bread"))
            case .type: try await dispatcher.dispatch(RemoveNote())
            case .tag: try await dispatcher.dispatch(RenameFolder())
            case .everything: dispatcher.cache.invalidateAll()
            case .failedCommand:
                server.failure = NoConnection()
                await #expect(throws: NoConnection()) { try await dispatcher.dispatch(AddNote(text: "Bread")) }
                server.failure = nil
            case .otherCache: dispatcher.cache.apply(.everything)
            }
        }
    }

    /// Checks a launch without a connection, and then one that loads.
    private func checkNextLaunches() async throws {
        let loads = server.loads
        server.failure = NoConnection()
        for mode in [ReadMode.cacheFirst, .freshOrStale] {
            let result = try await launch().read(LoadNotes(), mode)
            #expect(result.value == ["Milk"])
            #expect(result.isStale)
            #expect(result.error is NoConnection)
        }
        #expect(try await launch().read(LoadNotes(), .cacheOnly).isStale)
        var states = try launch().observe(LoadNotes()).makeAsyncIterator()
        var state = try #require(await states.next())
        while state.error == nil {
            #expect(state.value == nil || state.isStale)
            state = try #require(await states.next())
        }
        #expect(state.value == ["Milk"])
        #expect(state.isStale)
        #expect(server.loads == loads + 3)
        server.failure = nil
        server.notes = ["New"]
        let result = try await launch().read(LoadNotes())
        #expect(result.value == ["New"])
        #expect(!result.isStale)
    }

    @Test(arguments: Way.allCases)
    func `a value that became stale replaces a failed load of the next launch`(way: Way) async throws {
        let dispatcher = try launch()
        _ = try await dispatcher.dispatch(LoadNotes())
        try await dispatcher.cache.flush()
        try await way.invalidate(dispatcher, server)
        try await dispatcher.cache.flush()
        try await checkNextLaunches()
    }

    @Test(arguments: Way.allCases)
    func `a value that became stale while it was being stored replaces a failed load, too`(way: Way) async throws {
        let dispatcher = try launch()
        let gate = Gate()
        store.inject(.delay(gate), into: .insert)
        _ = try await dispatcher.dispatch(LoadNotes())
        await gate.arrivals(1)
        try await way.invalidate(dispatcher, server)
        gate.open()
        try await dispatcher.cache.flush()
        try await checkNextLaunches()
    }

    @Test func `a value that becomes stale before it is stored is stored as stale`() async throws {
        let dispatcher = try launch()
        let gate = Gate()
        store.inject(.delay(gate), into: .markStale)
        dispatcher.cache.invalidateAll()
        await gate.arrivals(1)
        // The write waits for the mark.
        _ = try await dispatcher.dispatch(LoadNotes())
        dispatcher.cache.invalidate(LoadNotes.self)
        gate.open()
        try await dispatcher.cache.flush()
        try await checkNextLaunches()
    }

    @Test(arguments: [Way.predicate, .type, .tag, .everything])
    func `a stale value stays stale after an eviction`(way: Way) async throws {
        let dispatcher = try launch()
        _ = try await dispatcher.dispatch(LoadNotes())
        try await dispatcher.cache.flush()
        try await way.invalidate(dispatcher, server)
        for folder in 0..<40 { _ = try await dispatcher.dispatch(LoadNotes(folder: "\(folder)")) }
        server.failure = NoConnection()
        let result = try await dispatcher.read(LoadNotes())
        #expect(result.value == ["Milk"])
        #expect(result.isStale)
    }

    /// The ways to erase values.
    enum Erasure: CaseIterable {
        case removal, signOut

        func erase(_ dispatcher: CachingDispatcher) async throws {
            switch self {
            case .removal: try await dispatcher.cache.removeAll()
            case .signOut: try await dispatcher.dispatch(SignOut())
            }
        }
    }

    @Test(arguments: Erasure.allCases)
    func `erased values are not in the store, also if they were being stored`(erasure: Erasure) async throws {
        for isBeingStored in [false, true] {
            let dispatcher = try launch()
            let gate = Gate()
            if isBeingStored { store.inject(.delay(gate), into: .insert) }
            _ = try await dispatcher.dispatch(LoadNotes())
            if isBeingStored { await gate.arrivals(1) } else { try await dispatcher.cache.flush() }
            try await erasure.erase(dispatcher)
            gate.open()
            try await dispatcher.cache.flush()
            #expect(try await store.value(for: key()) == nil)
            await #expect(throws: NotCached.self) { try await launch().read(LoadNotes(), .cacheOnly) }
        }
    }

    @Test func `a value that can replace no failed load is removed`() async throws {
        for policy in [CachePolicy<[String]>.untilInvalidated, .untilInvalidated.staleWhileRevalidate(.days(1))] {
            let dispatcher = try launch(policy)
            _ = try await dispatcher.dispatch(LoadNotes())
            try await dispatcher.cache.flush()
            try await dispatcher.dispatch(RemoveNote())
            #expect(try await (store.value(for: key()) == nil) == (policy.description == "until invalidated"))
        }
    }

    @Test func `a value whose load began before a command of another cache is not fresh in their store`()
        async throws
    {
        for mode in [ReadMode.cacheFirst, .fresh] {
            let (first, second) = (try launch(), try launch())
            let gate = server.holdNext()
            let load = Task { try await first.read(LoadNotes(), mode) }
            await gate.arrivals(1)
            try await second.dispatch(RemoveNote())
            gate.open()
            _ = try await load.value
            try await first.cache.flush()
            let next = try launch()
            #expect(try await next.read(LoadNotes(), .cacheOnly).isStale)
            // A later load is stored as fresh, and so is one after a command of the same cache.
            _ = try await next.read(LoadNotes(), .fresh)
            try await next.cache.flush()
            #expect(try await launch().read(LoadNotes(), .cacheOnly).isStale == false)
            try await next.dispatch(RemoveNote())
            _ = try await next.dispatch(LoadNotes())
            try await next.cache.flush()
            #expect(try await launch().read(LoadNotes(), .cacheOnly).isStale == false)
            try await next.cache.removeAll()
        }
    }

    @Test func `without the stamp of its store, a value is not stored`() async throws {
        let dispatcher = try launch()
        store.inject(.failure(NoConnection()), into: .stamp)
        #expect(try await dispatcher.dispatch(LoadNotes()) == ["Milk"])
        try await dispatcher.cache.flush()
        await #expect(throws: NotCached.self) { try await launch().read(LoadNotes(), .cacheOnly) }
    }

    @Test func `a value whose load began before another cache removed everything is not stored`() async throws {
        let (app, widget) = (try launch(), try launch())
        let gate = server.holdNext()
        let load = Task { try await widget.dispatch(LoadNotes()) }
        await gate.arrivals(1)
        try await app.cache.removeAll()
        gate.open()
        _ = try await load.value
        try await widget.cache.flush()
        await #expect(throws: NotCached.self) { try await launch().read(LoadNotes(), .cacheOnly) }
    }

    struct CountNotes: Query, Hashable {
        typealias Value = Int
    }

    /// Counts notes of a cache.
    private struct NoteCounter: Dispatcher {
        let notes: CachingDispatcher

        func dispatch<M: Message>(_ message: M) async throws -> M.Value {
            guard let count = try await notes.dispatch(LoadNotes()).count as? M.Value else { throw NoConnection() }
            return count
        }
    }

    @Test func `a value made from a stale value is stale`() async throws {
        let notes = try launch()
        let counts = try NoteCounter(notes: notes).caching(in: .memory(limit: .entries(10))) {
            Cache(CountNotes.self, .untilInvalidated.staleWhileRevalidate(.days(1)))
        }
        #expect(try await counts.read(CountNotes()).isStale == false)
        try await notes.dispatch(AddNote(text: "Bread"))
        counts.cache.invalidateAll()
        server.failure = NoConnection()
        for loads in [2, 3] {
            let result = try await counts.read(CountNotes())
            #expect(result.value == 1)
            #expect(result.isStale)
            #expect(result.error is NoConnection)
            #expect(result.origin == .loaded)
            #expect(server.loads == loads)
        }
        var states = counts.observe(CountNotes()).makeAsyncIterator()
        var state = try #require(await states.next())
        while state.isLoading { state = try #require(await states.next()) }
        #expect(state.value == 1)
        #expect(state.isStale)
        #expect(state.error is NoConnection)
        server.failure = nil
        let result = try await counts.read(CountNotes())
        #expect(result.value == 2)
        #expect(!result.isStale)
        #expect(try await counts.read(CountNotes()).origin == .memory)
    }

    @Test func `a value made from one that is invalidated meanwhile is loaded again for its observers`() async throws {
        let notes = try launch()
        let counts = try NoteCounter(notes: notes).caching(in: .memory(limit: .entries(10))) {
            Cache(CountNotes.self, .untilInvalidated)
        }
        let gate = server.holdNext()
        let values = counts.observe(CountNotes()).values
        let count = Task { try await values.first { $0 == 2 } }
        await gate.arrivals(1)
        try await notes.dispatch(AddNote(text: "Bread"))
        gate.open()
        #expect(try await count.value == 2)
        #expect(try await counts.read(CountNotes()).isStale == false)
    }

    private func key() -> CacheKey {
        CacheKey(query: LoadNotes.messageName, version: 1, scope: nil, encodedQuery: Data(#"{"folder":"home"}"#.utf8))
    }

    // MARK: Equal texts

    private let precomposed = "Ren\u{E9}"
    private let decomposed = "Rene\u{301}"

    @Test(arguments: [true, false])
    func `a tag is found in another form of Unicode`(isStored: Bool) async throws {
        let memory = isStored ? CacheMemory.stored(in: store) : .memory(limit: .entries(10))
        func launch() throws -> CachingDispatcher {
            try server.caching(in: memory) { [decomposed] in
                if isStored {
                    Cache(LoadNotes.self, .untilInvalidated, tags: { [$0.folder] }).stored(version: 1)
                } else {
                    Cache(LoadNotes.self, .untilInvalidated, tags: { [$0.folder] })
                }
                Invalidate(tags: { _ in [decomposed] }, after: RenameFolder.self)
            }
        }
        let first = try launch()
        for folder in [precomposed, "\(precomposed) too"] { _ = try await first.dispatch(LoadNotes(folder: folder)) }
        try await first.cache.flush()
        try await first.dispatch(RenameFolder())
        for dispatcher in isStored ? [first, try launch()] : [first] {
            let stale = try? await dispatcher.read(LoadNotes(folder: precomposed), .cacheOnly)
            #expect(stale?.isStale != false)
            let other = try await dispatcher.read(LoadNotes(folder: "\(precomposed) too"), .cacheOnly)
            #expect(!other.isStale)
        }
    }

    @Test func `a stored query is found in another form of Unicode`() async throws {
        let first = try launch()
        _ = try await first.dispatch(LoadNotes(folder: decomposed))
        _ = try await first.dispatch(LoadNotes(folder: "\u{212B}\n\u{301}\\\u{301}\""))
        try await first.cache.flush()
        #expect(try await launch().read(LoadNotes(folder: precomposed), .cacheOnly).origin == .store)
        let query = LoadNotes(folder: "\u{C5}\n\u{301}\\\u{301}\"")
        #expect(try await launch().read(query, .cacheOnly).origin == .store)
    }

    struct LoadNear: Query, Hashable, Codable {
        typealias Value = [String]
        var numbers: [Double]
        var text = "-0 \\-0.0\" [-0]"
    }

    @Test func `a stored query is found with another sign of zero`() async throws {
        func launch() throws -> CachingDispatcher {
            try server.caching(in: .stored(in: store)) {
                Cache(LoadNear.self, .untilInvalidated).stored(version: 1)
            }
        }
        let first = try launch()
        _ = try await first.dispatch(LoadNear(numbers: [-0.0, 1, 0, -0.5, -10, -1e-300, -2e30]))
        try await first.cache.flush()
        let same = LoadNear(numbers: [0, 1, -0.0, -0.5, -10, -1e-300, -2e30])
        #expect(try await launch().read(same, .cacheOnly).origin == .store)
        for other in [0.5, 10, 1e-300] {
            let query = LoadNear(numbers: [0, 1, 0, other, -10, -1e-300, -2e30])
            await #expect(throws: NotCached.self) { try await launch().read(query, .cacheOnly) }
        }
    }

    @Test func `principals and scopes whose names only look equal share no values`() async throws {
        for isStored in [false, true] {
            let memory = isStored ? CacheMemory.stored(in: store) : .memory(limit: .entries(10))
            func launch(_ scope: CacheScope) throws -> CachingDispatcher {
                try server.caching(in: memory) {
                    if isStored {
                        Cache(LoadNotes.self, .untilInvalidated, scope: scope).stored(version: 1)
                    } else {
                        Cache(LoadNotes.self, .untilInvalidated, scope: scope)
                    }
                }
            }
            for scope in [CacheScope.principal, .named { Principal.current?.id ?? "" }] {
                let dispatcher = try launch(scope)
                _ = try await withPrincipal(Principal(id: precomposed)) { try await dispatcher.dispatch(LoadNotes()) }
                try await dispatcher.cache.flush()
                for other in [dispatcher, try launch(scope)] {
                    await #expect(throws: NotCached.self) {
                        try await withPrincipal(Principal(id: decomposed)) {
                            try await other.read(LoadNotes(), .cacheOnly)
                        }
                    }
                }
            }
        }
    }
}
