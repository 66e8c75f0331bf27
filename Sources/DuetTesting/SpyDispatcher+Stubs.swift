public import Duet
import Synchronization

// A stub takes the place of an earlier one for the same message.
extension SpyDispatcher {
    /// Says how a query is answered.
    ///
    /// - Parameters:
    ///   - query: The type of the query.
    ///   - answer: Answers it, or throws. The value need not be `Sendable` if it is made here.
    public func stub<Q: Query>(
        _ query: Q.Type,
        _ answer: @escaping @Sendable @concurrent (_ query: Q) async throws -> sending Q.Value
    ) {
        add(Stub<Q, Q.Value>(answer))
    }

    /// Says what a query is answered with: the first value, the second the next time, and the last from then on.
    public func stub<Q: Query>(_ query: Q.Type, returning first: Q.Value, _ others: Q.Value...)
    where Q.Value: Sendable {
        let answers = Answers(first, others)
        add(Stub<Q, Q.Value> { _ in answers.next() })
    }

    /// Says what happens when a command is handled; if nothing is said, it succeeds.
    ///
    /// - Parameters:
    ///   - command: The type of the command.
    ///   - handle: Handles it, or throws.
    public func stub<C: Command>(
        _ command: C.Type,
        _ handle: @escaping @Sendable @concurrent (_ command: C) async throws -> Void = { _ in }
    ) {
        add(Stub<C, Void> { command in try await handle(command) })
    }

    /// Says with which error a query fails.
    public func stub<Q: Query>(_ query: Q.Type, throwing error: any Error) {
        add(Stub<Q, Q.Value> { _ in throw error })
    }

    /// Says with which error a command fails.
    public func stub<C: Command>(_ command: C.Type, throwing error: any Error) {
        add(Stub<C, Void> { _ in throw error })
    }

    /// Says with which error a message fails that is a command and a query, as either.
    public func stub<M: Command & Query>(_ message: M.Type, throwing error: any Error) {
        add(Stub<M, Void> { _ in throw error })
        add(Stub<M, M.Value> { _ in throw error })
    }
}

/// Values to answer with, one after the other.
private final class Answers<Value: Sendable>: Sendable {
    private let last: Value
    private let rest: Mutex<ArraySlice<Value>>

    init(_ first: Value, _ others: [Value]) {
        last = others.last ?? first
        rest = Mutex(([first] + others)[...])
    }

    func next() -> Value {
        rest.withLock { $0.popFirst() } ?? last
    }
}
