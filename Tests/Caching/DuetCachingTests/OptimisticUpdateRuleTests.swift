import Duet
import DuetCaching
import DuetTesting
import Testing

@Suite
struct OptimisticUpdateRuleTests {
    private func faults(@ListBuilder<CacheRule> _ rules: () -> [CacheRule]) -> [String] {
        do {
            _ = try QueryCache(in: .memory(limit: .entries(10)), rules)
            return []
        } catch {
            return error.faults
        }
    }

    private let update = OptimisticUpdate(LoadNotes.self, by: AddNote.self) { notes, _, command in
        notes.append(command.text)
    }

    @Test func `an update of a query without a rule is refused`() {
        let faults = faults {
            Cache(LoadNote.self, .untilInvalidated)
            update
        }
        #expect(
            faults == [
                """
                DuetCachingTests.LoadNotes is updated optimistically but not cached. Add \
                Cache(DuetCachingTests.LoadNotes.self, …), or remove its rule: Observed values of \
                DuetCachingTests.LoadNotes are updated optimistically by DuetCachingTests.AddNote.
                """
            ]
        )
    }

    @Test func `an update by a command that invalidates nothing of the query is refused`() {
        let missing = """
            DuetCachingTests.LoadNotes is updated optimistically by DuetCachingTests.AddNote, but not loaded again \
            after it. Add Invalidate(DuetCachingTests.LoadNotes.self, after: DuetCachingTests.AddNote.self).
            """
        let other = faults {
            Cache(LoadNotes.self, .untilInvalidated)
            Cache(LoadNote.self, .untilInvalidated, tags: { _ in ["notes"] })
            Invalidate(LoadNotes.self, after: RemoveNote.self)
            Invalidate(LoadNote.self, after: AddNote.self)
            // Only the other query has tags.
            Invalidate(tag: "notes", after: AddNote.self)
            update
        }
        #expect(other == [missing])
    }

    @Test func `two updates of a query by one command are refused`() {
        let faults = faults {
            Cache(LoadNotes.self, .untilInvalidated)
            Invalidate(LoadNotes.self, after: AddNote.self)
            update
            update
        }
        #expect(
            faults == [
                """
                DuetCachingTests.LoadNotes has two OptimisticUpdate rules for DuetCachingTests.AddNote. Make both \
                changes in one rule.
                """
            ]
        )
    }

    /// The rules that cover an update.
    enum Cover: CaseIterable {
        case query, predicate, tag, tags, everything

        var rule: Invalidate {
            switch self {
            case .query: Invalidate(LoadNotes.self, after: RemoveNote.self, AddNote.self)
            case .predicate: Invalidate(LoadNotes.self, after: AddNote.self) { $0.folder == $1.folder }
            case .tag: Invalidate(tag: "notes", after: AddNote.self)
            case .tags: Invalidate(tags: { ["folder:\($0.folder)"] }, after: AddNote.self)
            case .everything: Invalidate(everythingAfter: AddNote.self)
            }
        }
    }

    @Test(arguments: Cover.allCases)
    func `each rule that invalidates the query confirms an update`(cover: Cover) async throws {
        let world = try World {
            Cache(LoadNotes.self, .untilInvalidated, tags: { ["notes", "folder:\($0.folder)"] })
            cover.rule
            update
        }
        var states = world.dispatcher.observe(LoadNotes()).makeAsyncIterator()
        while await states.next()?.value != ["Milk"] {}
        let gate = world.server.holdNext()
        try await world.dispatcher.dispatch(AddNote(text: "Bread"))
        let confirmed = try #require(await states.next())
        #expect(confirmed.value == ["Milk", "Bread"])
        #expect(confirmed.isOptimistic)
        gate.open()
        var state = confirmed
        while state.isOptimistic { state = try #require(await states.next()) }
        #expect(state.value == ["Milk", "Bread"])
        #expect(world.server.loads == 2)
    }

    @Test func `one command updates several queries`() async throws {
        let world = try World {
            Cache(LoadNotes.self, .untilInvalidated)
            Cache(LoadNote.self, .untilInvalidated)
            Invalidate(everythingAfter: AddNote.self)
            update
            OptimisticUpdate(LoadNote.self, by: AddNote.self) { note, query, _ in note += " of \(query.id)" }
        }
        var notes = world.dispatcher.observe(LoadNotes()).values.makeAsyncIterator()
        var note = world.dispatcher.observe(LoadNote(id: 1)).values.makeAsyncIterator()
        #expect(try await notes.next() == ["Milk"])
        #expect(try await note.next() == "Note 1")
        let gates = [world.server.holdNext(), world.server.holdNext()]
        try await world.dispatcher.dispatch(AddNote(text: "Bread"))
        #expect(try await notes.next() == ["Milk", "Bread"])
        #expect(try await note.next() == "Note 1 of 1")
        for gate in gates { gate.open() }
    }

    @Test func `an explanation names the updates of the query`() async throws {
        let cache = try QueryCache(in: .memory(limit: .entries(10))) {
            Cache(LoadNotes.self, .untilInvalidated)
            Cache(LoadNote.self, .untilInvalidated)
            Invalidate(LoadNotes.self, after: AddNote.self)
            update
        }
        let text =
            "- Observed values of DuetCachingTests.LoadNotes are updated optimistically by DuetCachingTests.AddNote."
        #expect(await cache.explain(LoadNotes()).description.hasSuffix(text))
        #expect(await cache.explain(LoadNote(id: 1)).rules.count == 1)
    }
}
