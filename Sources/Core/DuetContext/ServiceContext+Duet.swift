public import Duet
public import ServiceContextModule

/// Values that travel with a message.
///
/// An HTTP client sends the deadline and the key to the next process. The principal is found there from the
/// credentials.
extension ServiceContext {
    /// The moment after which nobody waits for the response; nil for no limit.
    public var deadline: Deadline? {
        get { self[DeadlineKey.self] }
        set { self[DeadlineKey.self] = newValue }
    }

    /// The key that identifies a command sent several times, so that it is carried out once.
    ///
    /// It is the text that the sender chose, as ``IdempotencyKey/asSent``. To dispatch commands with a key, use
    /// ``withIdempotencyKey(_:operation:)``.
    public var idempotencyKey: String? {
        get { commandKey?.value }
        set { commandKey = newValue.map { CommandKey(value: $0, message: nil) } }
    }

    /// Returns the key that a command of a name has if it is dispatched now; nil for another command than the received
    /// one, and within a handler.
    package func idempotencyKey(for message: String) -> String? {
        guard let key = commandKey, key.work == nil, key.belongs(to: message) else { return nil }
        return key.value
    }

    /// Sets the key that was received with a command.
    ///
    /// - Parameter identity: What tells the command from all others; nil for the message, the principal and the key.
    package mutating func receiveIdempotencyKey(_ key: String?, of message: String, identity: String? = nil) {
        commandKey = key.map { CommandKey(value: $0, message: message, identity: identity) }
    }
}

extension Deadline {
    /// The moment after which nobody waits for what the current task does; nil for no limit.
    public static var current: Deadline? { ServiceContext.current?.deadline }
}

/// Identifies a command that is sent several times, so that it is carried out once.
public enum IdempotencyKey {
    /// The key as the sender of the command has chosen it; nil for none.
    ///
    /// Another message, or another principal, may have the same key. A handler that remembers commands uses
    /// ``current(for:)``.
    public static var asSent: String? { ServiceContext.current?.idempotencyKey }

    /// Returns what tells the command that the current task handles from all others: its message, its principal and its
    /// key, as one text; nil if it came without a key.
    ///
    /// A handler that has stored the text carries out the command once, and needs no other check: two messages, or two
    /// principals, may have the same key. The text is the same at each attempt, and on each carrier. A command that a
    /// cluster's log has always has one.
    ///
    /// A command that the handler dispatches in this process has none. One that it sends to another process has its own
    /// key there.
    public static func current<C: Command>(for command: C.Type) -> String? {
        DataUse.noteKey()
        guard let context = ServiceContext.current else { return nil }
        return context.commandKey?.identity(of: C.messageName, for: Principal.current)
    }
}

/// Runs an operation with an idempotency key, which belongs to each command that it dispatches.
///
/// A key identifies one command of a message and a principal. It goes as far as the command's handler. If that sends
/// commands to other processes, each of them has a key that depends on this one and on its content, so that another
/// attempt of the handler sends the same.
///
/// An empty key is a key like any other one for a cluster, and a server refuses it; nil means no key. A principal
/// with an empty identifier differs from an anonymous caller.
///
/// ```swift
/// let key = UUID().uuidString
/// try await withIdempotencyKey(key) {
///     try await api.dispatch(RemoveSpeaker(id: id))
/// }
/// ```
///
/// - Throws: The error of `operation`.
public func withIdempotencyKey<Value>(_ key: String?, operation: () async throws -> Value) async rethrows -> Value {
    try await CommandKeyBoundary.open { try await with(\.idempotencyKey, key, operation) }
}

/// Runs an operation with a deadline.
///
/// ```swift
/// try await withDeadline(in: .milliseconds(500)) {
///     try await api.dispatch(ListSpeakers())
/// }
/// ```
///
/// The deadline travels with every message that the operation dispatches. A message that is sent over HTTP carries
/// the remaining time to its server, and is canceled at the deadline. Other work must check the deadline itself. If
/// the task already has an earlier deadline, that one stays.
///
/// - Throws: The error of `operation`.
public func withDeadline<Value>(
    in duration: Duration,
    clock: any Clock<Duration> = ContinuousClock(),
    operation: () async throws -> Value
) async rethrows -> Value {
    let deadline = Deadline(in: duration, clock: clock)
    if let outer = Deadline.current, outer.remaining <= deadline.remaining { return try await operation() }
    return try await with(\.deadline, deadline, operation)
}

private func with<Change, Value>(
    _ keyPath: WritableKeyPath<ServiceContext, Change>,
    _ change: Change,
    _ operation: () async throws -> Value
) async rethrows -> Value {
    var context = ServiceContext.current ?? .topLevel
    context[keyPath: keyPath] = change
    return try await ServiceContext.withValue(context) { try await operation() }
}

private enum DeadlineKey: ServiceContextKey {
    typealias Value = Deadline
}
