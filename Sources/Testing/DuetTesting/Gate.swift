import Synchronization

/// Suspends tasks until a test opens it, and counts the tasks that have arrived.
///
/// A stub passes the gate, so the test decides when its operation ends:
///
/// ```swift
/// let gate = Gate()
/// spy.stub(ListNotes.self) { _ in
///     try await gate.pass()
///     return [Note(id: 1, text: "Milk")]
/// }
/// let screen = try makeScreen()
/// let load = Task { await screen.load() }
/// await gate.arrivals(1)
/// #expect(screen.isLoading)
///
/// gate.open()
/// await load.value
/// ```
///
/// An open gate stays open. A wait ends when its task is canceled, so a gate that is never opened represents an
/// operation that never ends by itself.
public final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var arrivals = 0
        var lastID = 0
        var waiters: [Int: CheckedContinuation<Void, any Error>] = [:]
        var watchers: [(arrivals: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    /// Creates a closed gate.
    public init() {}

    /// Whether the gate was opened.
    public var isOpen: Bool { state.withLock { $0.isOpen } }

    /// Resumes the waiting tasks, and lets all later ones pass.
    public func open() {
        let waiters = state.withLock { state in
            state.isOpen = true
            defer { state.waiters = [:] }
            return state.waiters.values
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Waits until the gate is open.
    ///
    /// - Throws: `CancellationError` if the task is canceled while the gate is closed.
    public func pass() async throws {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let (early, watchers) = state.withLock { state in
                    let early: Result<Void, any Error>? =
                        state.isOpen ? .success(()) : Task.isCancelled ? .failure(CancellationError()) : nil
                    if early == nil { state.waiters[id] = continuation }
                    state.arrivals += 1
                    let reached = state.watchers.filter { $0.arrivals <= state.arrivals }
                    state.watchers.removeAll { $0.arrivals <= state.arrivals }
                    return (early, reached)
                }
                if let early { continuation.resume(with: early) }
                for watcher in watchers { watcher.continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: id) }?.resume(throwing: CancellationError())
        }
    }

    /// Waits until there have been a number of arrivals at the gate in total.
    ///
    /// Tasks that have passed the gate count, too.
    public func arrivals(_ number: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.arrivals < number { state.watchers.append((number, continuation)) }
                return state.arrivals >= number
            }
            if isThere { continuation.resume() }
        }
    }
}
