import Synchronization

/// The values that a scope has created and must dispose of.
final class ScopeStorage: Sendable {
    private struct State {
        var instances = Instances()
        /// In the order of creation.
        var disposables: [any Disposable] = []
        /// The identities of the disposables that are objects.
        var objects: Set<ObjectIdentifier> = []
    }

    /// Maps a source to the `Once` of its value, in a list for the first few and a dictionary for the others.
    private struct Instances {
        private var first: [(source: ObjectIdentifier, once: any AnyObject & Sendable)] = []
        private var others: [ObjectIdentifier: any AnyObject & Sendable] = [:]

        subscript(_ source: ObjectIdentifier) -> (any AnyObject & Sendable)? {
            for instance in first where instance.source == source { return instance.once }
            return others.isEmpty ? nil : others[source]
        }

        mutating func add(_ once: any AnyObject & Sendable, for source: ObjectIdentifier) {
            if first.count < 8 { first.append((source, once)) } else { others[source] = once }
        }
    }

    private let ended = Atomic(false)
    private let state = Mutex(State())
    private let outer: ScopeStorage?

    init(within outer: ScopeStorage? = nil) {
        self.outer = outer
    }

    @inline(__always)
    var hasEnded: Bool { ended.load(ordering: .acquiring) }

    func once<Value>(for source: ObjectIdentifier) -> Once<Value>? {
        guard let once = state.withLock({ $0.instances[source] }) else { return nil }
        // A source has one type of value, so the object stored for it is a `Once` of that type.
        return unsafe unsafeDowncast(once, to: Once<Value>.self)
    }

    func once<Value>(for source: ObjectIdentifier, _ type: Once<Value>.Type) throws -> Once<Value> {
        let once: any AnyObject & Sendable = try state.withLock { state in
            guard !hasEnded else { throw ResolutionError(reason: .scopeEnded) }
            if let once = state.instances[source] { return once }
            let once = type.init()
            state.instances.add(once, for: source)
            return once
        }
        // As above.
        return unsafe unsafeDowncast(once, to: Once<Value>.self)
    }

    /// Takes responsibility for disposing of a new value.
    ///
    /// A factory may return an object that another factory created, under a second contract. Only the scope that keeps
    /// the object first, this one or an enclosing one, disposes of it.
    ///
    /// - Throws: ``ResolutionError`` if the scope has ended in the meantime; the value has then been disposed of.
    func keep(_ disposable: any Disposable) async throws {
        let object = Self.identity(disposable)
        if let object, outer?.keeps(object) == true { return }
        let isKept = state.withLock { state in
            guard !hasEnded else { return false }
            if let object, !state.objects.insert(object).inserted { return true }
            state.disposables.append(disposable)
            return true
        }
        guard isKept else {
            await Self.dispose([disposable])
            throw ResolutionError(reason: .scopeEnded)
        }
    }

    /// Ends the storage, which releases its values and creates no more.
    ///
    /// - Returns: The values to dispose of, in reverse order of creation.
    func close() -> [any Disposable] {
        state.withLock { state in
            ended.store(true, ordering: .releasing)
            defer { state = State() }
            return state.disposables.isEmpty ? [] : state.disposables.reversed()
        }
    }

    /// Commits values after work that succeeded, and disposes of them.
    ///
    /// - Throws: The error of the first value that cannot be committed.
    static func complete(_ disposables: [any Disposable]) async throws {
        do {
            for case let value as any Committable in disposables { try await value.commit() }
        } catch {
            await dispose(disposables)
            throw error
        }
        await dispose(disposables)
    }

    /// Disposes of values in a new task, because the current task may be canceled and disposal must not be.
    static func dispose(_ disposables: [any Disposable]) async {
        await Task {
            for disposable in disposables { await disposable.dispose() }
        }.value
    }

    private func keeps(_ object: ObjectIdentifier) -> Bool {
        state.withLock { $0.objects.contains(object) } || outer?.keeps(object) == true
    }

    /// The identity of an object; values have none.
    private static func identity(_ disposable: any Disposable) -> ObjectIdentifier? {
        type(of: disposable) is AnyClass ? ObjectIdentifier(disposable as AnyObject) : nil
    }
}
