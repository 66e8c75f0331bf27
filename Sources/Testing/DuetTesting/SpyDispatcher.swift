public import Duet
import Synchronization

/// Replaces a dispatcher in a test, returns stubbed values, and records every message.
///
/// ```swift
/// let spy = SpyDispatcher { Issue.record($0) }
/// spy.stub(ListNotes.self) { query in query.after == 0 ? [Note(id: 7, text: "Bread")] : [] }
/// spy.stub(AddNote.self)
///
/// try await copyLastNote(with: spy)
///
/// #expect(spy.messages(of: AddNote.self) == [AddNote(text: "Bread")])
/// #expect(spy.messageNames == [ListNotes.messageName, AddNote.messageName])
/// ```
///
/// A message without a stub throws ``UnstubbedMessage``. Several tasks may use the spy at a time; messages are recorded
/// in the order in which their dispatches begin.
public final class SpyDispatcher: Dispatcher {
    private struct Record {
        let name: String
        let message: any Sendable
    }

    private struct State {
        var records: [Record] = []
        /// The `Stub<M>` of each message type `M`.
        var stubs: [ObjectIdentifier: any AnyObject & Sendable] = [:]
    }

    private let state = Mutex(State())
    private let onUnstubbed: @Sendable (UnstubbedMessage) -> Void

    /// Creates a spy without stubs.
    ///
    /// - Parameter onUnstubbed: Receives each message without a stub, in addition to the error that `dispatch` throws.
    ///   The code under test may swallow that error; `{ Issue.record($0) }` fails the test anyway.
    public init(onUnstubbed: @escaping @Sendable (UnstubbedMessage) -> Void = { _ in }) {
        self.onUnstubbed = onUnstubbed
    }

    /// Every dispatched message, stubbed or not, in the order in which the dispatches began.
    public var messages: [any Sendable] { state.withLock { $0.records.map(\.message) } }

    /// The stable names of the dispatched messages, in the same order.
    public var messageNames: [String] { state.withLock { $0.records.map(\.name) } }

    /// The dispatched messages of one type, in the same order.
    public func messages<M: Sendable>(of type: M.Type) -> [M] {
        messages.compactMap { $0 as? M }
    }

    /// Records the message, and returns the value of its stub.
    ///
    /// - Throws: The error of the stub, or ``UnstubbedMessage``.
    public func dispatch<M: Message>(_ message: M) async throws -> M.Value {
        let stub = state.withLock { state in
            state.records.append(Record(name: M.messageName, message: message))
            return state.stubs[ObjectIdentifier(M.self)]
        }
        guard let stub = stub as? Stub<M> else {
            let unstubbed = UnstubbedMessage(M.self)
            onUnstubbed(unstubbed)
            throw unstubbed
        }
        return try await stub.handle(message)
    }

    func add<M: Message>(_ stub: Stub<M>) {
        state.withLock { $0.stubs[ObjectIdentifier(M.self)] = stub }
    }
}

final class Stub<M: Message>: Sendable {
    let handle: @Sendable @concurrent (M) async throws -> sending M.Value

    init(_ handle: @escaping @Sendable @concurrent (M) async throws -> sending M.Value) {
        self.handle = handle
    }
}

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

    /// Returns values for a query, one after the other, and the last one from then on.
    ///
    /// - Parameters:
    ///   - query: The type of the query.
    ///   - first: The first value.
    ///   - others: The further values.
    public func stub<Q: Query>(_ query: Q.Type, returning first: Q.Value, _ others: Q.Value...)
    where Q.Value: Sendable {
        let values = Values(first, others)
        add(Stub<Q> { _ in values.next() })
    }

    /// Handles a command with a closure, or does nothing.
    ///
    /// - Parameters:
    ///   - command: The type of the command.
    ///   - handle: Carries out the command, or throws.
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

/// An error for a message that a ``SpyDispatcher`` received although the test does not stub it.
public struct UnstubbedMessage: Error, Equatable, CustomStringConvertible {
    package let message: String

    private let advice: String

    init<M: Message>(_ type: M.Type) {
        message = M.messageName
        advice =
            type is any Command.Type
            ? "Let it succeed: spy.stub(\(M.self).self)"
            : "Return a value: spy.stub(\(M.self).self) { … }"
    }

    /// The message and the stub to add.
    public var description: String { "No stub for \(message). \(advice)" }
}
