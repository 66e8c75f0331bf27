import Duet

/// Keeps lists of notes until a command may have changed one.
actor NoteListCache {
    private var lists: [ListNotes: [Note]] = [:]
    /// How often the lists were discarded, so that a list from before a change is not kept after it.
    private var generation = 0

    func notes(for query: ListNotes, from next: any Dispatcher) async throws -> [Note] {
        if let notes = lists[query] { return notes }
        let requested = generation
        let notes = try await next.dispatch(query)
        if generation == requested { lists[query] = notes }
        return notes
    }

    func removeAll() {
        generation += 1
        lists = [:]
    }
}

extension Dispatcher {
    /// Returns this dispatcher with a cache of lists, which the commands of the notes invalidate.
    func cachingLists(in cache: NoteListCache) -> any Dispatcher {
        after(RenameNote.self) { _, _ in await cache.removeAll() }
            .after(AddNote.self) { _, _ in await cache.removeAll() }
            .intercepting(ListNotes.self) { query, next in try await cache.notes(for: query, from: next) }
    }
}
