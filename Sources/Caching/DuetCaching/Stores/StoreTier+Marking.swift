import Duet
import Foundation

/// A condition on the keys of a query whose values become stale.
struct QueryMark {
    let number: Int
    /// The store's note that values of the query are in doubt; nil if it has none.
    let note: Int64?
    let condition: @Sendable (CacheKey) -> Bool
    let onEnd: @Sendable (_ isMarked: Bool) -> Void
}

/// The marks that the store could not carry out, each in its widest form.
struct FailedMarks {
    struct Mark {
        var values: StoredValues
        var query: String?
        /// The store's notes that end with the mark.
        var notes: [Int64] = []
    }

    private static let limit = 1_024

    /// By their tag or their query.
    private(set) var marks: [String: Mark] = [:]
    /// Whether everything is to be removed.
    var isRemoval = false

    var isEmpty: Bool { !isRemoval && marks.isEmpty }

    mutating func add(_ values: StoredValues, _ query: String?, _ notes: [Int64]) {
        var (key, mark) = ("", Mark(values: .everything, query: nil))
        if let query {
            (key, mark) = ("query " + query, Mark(values: .query(name: query), query: query))
        } else if case .tag(let tag) = values {
            (key, mark) = ("tag " + tag, Mark(values: values))
        }
        mark.notes = (marks[key]?.notes ?? []) + notes
        marks[key] = mark
        guard marks.count > Self.limit else { return }
        marks = ["": Mark(values: .everything, notes: marks.values.flatMap(\.notes))]
    }
}

// MARK: Marks

extension StoreTier {
    /// Marks values as stale in the background.
    ///
    /// - Parameters:
    ///   - query: The name of the query; nil if several are concerned.
    ///   - notes: The store's notes that end with the mark.
    ///   - onEnd: Receives whether the store succeeded.
    func markStale(
        _ values: StoredValues,
        _ query: String? = nil,
        ending notes: [Int64] = [],
        onEnd: @escaping @Sendable (_ isMarked: Bool) -> Void = { _ in }
    ) {
        guard let number = beginUnlessHanging(.marking, query, in: \.marks) else {
            pending.update { $0.refused.add(values, query, notes) }
            return onEnd(false)
        }
        Task {
            onEnd(await mark(values, query, ending: notes))
            end(number)
        }
    }

    /// Marks the values with a tag as stale, and keeps the tag if that fails.
    func markStale(_ tag: Tag, name: String) {
        markStale(.tag(name)) { [self] isMarked in
            if !isMarked { keep(tag, name) }
        }
    }

    /// Marks the values of a query that meet a condition as stale, in the background.
    ///
    /// First the store notes that values of the query are in doubt, and commands wait for no more than that. A pass
    /// over the keys follows, one for all conditions that wait. Until it has ended, a launch takes all values of the
    /// query as stale.
    func markStale(
        query name: String,
        where condition: @escaping @Sendable (CacheKey) -> Bool,
        onEnd: @escaping @Sendable (_ isMarked: Bool) -> Void = { _ in }
    ) {
        guard let number = beginUnlessHanging(.marking, name, in: \.marks) else {
            pending.update { $0.refused.add(.query(name: name), name, []) }
            return onEnd(false)
        }
        Task {
            var note: Int64?
            do { note = try await store.noteDoubt(query: name, by: writer) } catch { report(.marking, name, error) }
            let mark = QueryMark(number: number, note: note, condition: condition, onEnd: onEnd)
            let isFirst = pending.update { [note] pending in
                if let note {
                    pending.doubts.insert(note)
                    pending.release(number)
                }
                defer { pending.passes[name, default: []].append(mark) }
                return pending.passes[name] == nil
            }
            if isFirst { await makePasses(over: name) }
        }
    }

    /// Makes passes over the keys of a query for as long as conditions wait.
    private func makePasses(over name: String) async {
        while let marks = pending.update({ $0.takePass(over: name) }) {
            let values = StoredValues.query(name: name) { key in marks.contains { $0.condition(key) } }
            let isMarked = await mark(values, name, ending: marks.compactMap(\.note))
            for mark in marks {
                mark.onEnd(isMarked)
                end(mark.number)
            }
        }
    }

    /// Marks values and ends notes, or keeps both for another attempt.
    private func mark(_ values: StoredValues, _ query: String?, ending notes: [Int64]) async -> Bool {
        do {
            try await store.markStale(values, by: writer)
            if !notes.isEmpty { try await store.endDoubts(notes) }
            pending.update { $0.doubts.subtract(notes) }
            return true
        } catch {
            pending.update { $0.failed.add(values, query, notes) }
            report(.marking, query, error)
            return false
        }
    }

    /// Changes the bytes of stale values in the background, after all earlier operations.
    func updateStale(_ query: String, _ change: @escaping @Sendable (CacheKey, Data) -> Data?) {
        guard let number = beginUnlessHanging(.updating, query, in: \.updates) else { return }
        Task {
            try? await pending.wait { pending in
                pending.updates.contains { $0 < number } || pending.writes.contains { $0 < number } ? nil : ()
            }
            // A write may have begun to mark its value.
            let last = pending.read(\.last)
            try? await pending.wait { $0.marks.contains { $0 <= last } ? nil : () }
            do { try await store.updateStale(query: query, change) } catch { report(.updating, query, error) }
            end(number)
        }
    }

    /// Tries again to make the marks that failed or were refused, and returns whether there are any.
    func retryFailed() -> Bool { [retry(\.refused), retry(\.failed)].contains(true) }

    private func retry(_ marks: any WritableKeyPath<Pending, FailedMarks> & Sendable) -> Bool {
        let failed = pending.update { pending in
            defer { pending[keyPath: marks] = FailedMarks() }
            return pending[keyPath: marks]
        }
        if failed.isRemoval { removeAll() }
        for mark in failed.marks.values { markStale(mark.values, mark.query, ending: mark.notes) }
        return !failed.isEmpty
    }
}

// MARK: Removals

extension StoreTier {
    /// Removes the value of a key in the background.
    func remove(_ key: CacheKey) {
        guard let number = beginUnlessHanging(.marking, key.query, in: \.marks) else { return }
        Task {
            do { try await store.remove([key]) } catch { report(.marking, key.query, error) }
            end(number)
        }
    }

    /// Removes all values in the background.
    ///
    /// The store first notes that they are to be removed, also if it hangs: the note may need less of it.
    @discardableResult
    func removeAll() -> Monitor<StoreRemoval> {
        let number = begin(.removing, nil, in: \.marks)
        let removal = Monitor(StoreRemoval(number: number))
        Task {
            do {
                let isNoted = try await store.noteRemoval()
                removal.update { $0.isNoted = isNoted }
            } catch {
                // The removal may succeed nevertheless.
                report(.removing, nil, error)
            }
            do {
                try await store.removeAll()
                pending.update { $0.failed.isRemoval = false }
                removal.update { $0.isDone = true }
            } catch {
                pending.update { $0.failed.isRemoval = true }
                removal.update { $0.error = error }
                report(.removing, nil, error)
            }
            end(number)
        }
        return removal
    }

    /// Waits until a removal is done, but no longer than the timeout.
    ///
    /// - Throws: ``CacheStoreFailure``.
    func waitForEnd(of removal: Monitor<StoreRemoval>) async throws {
        let number = removal.read(\.number)
        try await pending.wait { $0.awaited[number] == nil ? () : nil }
        let (isDone, isNoted, error) = removal.read { ($0.isDone, $0.isNoted, $0.error) }
        guard isDone else {
            throw CacheStoreFailure(operation: .removing, query: nil, underlying: error, isNoted: isNoted)
        }
    }
}

/// The removal of everything from a store, as far as it has come.
struct StoreRemoval {
    let number: Int
    var isNoted = false
    var isDone = false
    var error: (any Error)?
}

// MARK: Changes

extension StoreTier {
    /// Begins a mark or a change.
    ///
    /// - Returns: Its number; nil if the store hangs.
    private func beginUnlessHanging(
        _ operation: CacheStoreFailure.Operation,
        _ query: String?,
        in set: any WritableKeyPath<Pending, Set<Int>> & Sendable
    ) -> Int? {
        guard isHanging else { return begin(operation, query, in: set) }
        report(operation, query, nil)
        return nil
    }

    /// Lets commands wait for a mark, a change or a removal until it ends or the timeout is over; returns its number.
    private func begin(
        _ operation: CacheStoreFailure.Operation,
        _ query: String?,
        in set: any WritableKeyPath<Pending, Set<Int>> & Sendable
    ) -> Int {
        let number = pending.update { pending in
            let number = pending.newNumber()
            pending[keyPath: set].insert(number)
            if operation == .removing { pending.removals.insert(number) }
            pending.awaited.updateValue(nil, forKey: number)
            return number
        }
        let timer = Task {
            guard (try? await clock.sleep(for: timeout)) != nil else { return }
            let isLate = pending.update { pending in
                guard pending.awaited[number] != nil else { return false }
                pending.overdue.insert(number)
                return true
            }
            // Before the command goes on.
            if isLate { report(operation, query, nil) }
            pending.update { _ = $0.awaited.removeValue(forKey: number) }
        }
        pending.update { $0.awaited[number]? = timer }
        return number
    }

    private func end(_ number: Int) {
        let isInTime = pending.update { pending in
            pending.release(number)
            pending.marks.remove(number)
            pending.updates.remove(number)
            pending.removals.remove(number)
            return pending.overdue.remove(number) != nil && pending.overdue.isEmpty
        }
        // The store can make refused marks now.
        if isInTime { _ = retry(\.refused) }
    }
}

extension StoreTier.Pending {
    /// Notes that commands do not wait for a mark or a change any more.
    fileprivate mutating func release(_ number: Int) { awaited.removeValue(forKey: number)??.cancel() }

    /// Takes the conditions for the next pass; nil if there are none, after which the next one begins a pass.
    fileprivate mutating func takePass(over name: String) -> [QueryMark]? {
        guard let marks = passes[name], !marks.isEmpty else {
            passes[name] = nil
            return nil
        }
        passes[name] = []
        return marks
    }
}
