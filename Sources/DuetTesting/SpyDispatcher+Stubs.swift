public import Duet
import Synchronization

// A stub replaces an earlier one for the same message.
extension SpyDispatcher {
    /// Handles a query with a closure.
    ///
    /// - Parameters:
    ///   - query: The type of the query.
    ///   - handle: Returns the value, which need not be `Sendable` if it is created here, or throws.
    public func stub<Q: Query>(
        _ query: Q.Type,
        _ handle: @escaping @Sendable @concurrent (_ query: Q) async throws -> sending Q.Value
    ) {
        add(Stub(handle))
    }

    /// Returns values for a query: the first one, then the second, and the last from then on.
    public func stub<Q: Query>(_ query: Q.Type, returning first: Q.Value, _ others: Q.Value...)
    where Q.Value: Sendable {
        let values = Values(first, others)
        add(Stub<Q> { _ in values.next() })
    }

    /// Handles a command with a closure, which does nothing by default.
    ///
    /// - Parameters:
    ///   - command: The type of the command.
    ///   - handle: Returns or throws.
    public func stub<C: Command>(
        _ command: C.Type,
        _ handle: @escaping @Sendable @concurrent (_ command: C) async throws -> Void = { _ in }
    ) {
        add(Stub<C> { command in try await handle(command) })
    }

    /// Throws an error for a message.
    public func stub<M: Message>(_ message: M.Type, throwing error: any Error) {
        add(Stub<M> { _ in throw error })
    }
}

/// Values to return, one after the other.
private final class Values<Value: Sendable>: Sendable {
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
