import Synchronization

/// What a scope has made and has to let go of.
final class ScopeStorage: Sendable {
    private struct State {
        /// A `Once` by the source whose value it holds.
        var instances: [ObjectIdentifier: any AnyObject & Sendable] = [:]
        /// In the order in which they were made.
        var disposables: [any Disposable] = []
        /// Those of them that are objects: one may be registered as several things.
        var objects: Set<ObjectIdentifier> = []
    }

    private let ended = Atomic(false)
    private let state = Mutex(State())

    @inline(__always)
    var hasEnded: Bool { ended.load(ordering: .acquiring) }

    /// The place of a source's value in this scope.
    func once<Value>(for source: ObjectIdentifier) throws -> Once<Value> {
        let once: any AnyObject & Sendable = try state.withLock { state in
            guard !hasEnded else { throw ResolutionError(reason: .scopeEnded) }
            if let once = state.instances[source] { return once }
            let once = Once<Value>()
            state.instances[source] = once
            return once
        }
        // A source has one type of value, so what is filed under it is a `Once` of that type.
        return unsafe unsafeDowncast(once, to: Once<Value>.self)
    }

    /// Takes responsibility for a new value, and hands it back.
    ///
    /// - Throws: ``ResolutionError`` when the scope has ended in the meantime; the value was disposed of then.
    func keep<Value: Sendable>(_ value: Value) async throws -> Value {
        let disposable = value as? any Disposable
        let isKept = state.withLock { state in
            guard !hasEnded else { return false }
            guard let disposable else { return true }
            let isObject = type(of: disposable) is AnyObject.Type
            if !isObject || state.objects.insert(ObjectIdentifier(disposable as AnyObject)).inserted {
                state.disposables.append(disposable)
            }
            return true
        }
        guard isKept else {
            if let disposable { await Self.dispose([disposable]) }
            throw ResolutionError(reason: .scopeEnded)
        }
        return value
    }

    /// Lets go of everything, the last made first; nothing is made here any more.
    func end() async {
        let disposables = state.withLock { state in
            ended.store(true, ordering: .releasing)
            defer { state = State() }
            return state.disposables
        }
        if !disposables.isEmpty { await Self.dispose(disposables.reversed()) }
    }

    /// In a task of its own, because the current one may have been cancelled, and letting go must not be.
    private static func dispose(_ disposables: [any Disposable]) async {
        await Task {
            for disposable in disposables { await disposable.dispose() }
        }.value
    }
}
