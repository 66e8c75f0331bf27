import Duet

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
    private let state = Monitor((isOpen: false, arrivals: 0))

    /// Creates a closed gate.
    public init() {}

    package var isOpen: Bool { state.read { $0.isOpen } }

    /// Resumes the waiting tasks, and lets all later ones pass.
    public func open() { state.update { $0.isOpen = true } }

    /// Waits until the gate is open.
    ///
    /// - Throws: `CancellationError` if the task is canceled while the gate is closed.
    public func pass() async throws {
        state.update { $0.arrivals += 1 }
        try await state.wait { $0.isOpen ? () : nil }
    }

    /// Waits until there have been a number of arrivals at the gate in total.
    ///
    /// Tasks that have passed the gate count, too.
    public func arrivals(_ number: Int) async { await state.waitEvenIfCanceled { $0.arrivals >= number } }
}
