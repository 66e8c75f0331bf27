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

    /// The principal that the message is handled for; nil for an anonymous caller.
    public var principal: Principal? {
        get { self[PrincipalKey.self] }
        set { self[PrincipalKey.self] = newValue }
    }

    /// The key that identifies a command sent several times, so that it is carried out once.
    ///
    /// A key that a caller sets is sent over HTTP with each command that has no key itself. A key that a server
    /// received with a command is forwarded only with commands of the same name, because other commands are
    /// different work.
    public var idempotencyKey: String? {
        get { self[IdempotencyKeyKey.self]?.value }
        set { self[IdempotencyKeyKey.self] = newValue.map { ReceivedKey(value: $0, message: nil) } }
    }

    /// Returns the key for commands of a name: the one that a caller set, or that came with a command of that name.
    package func idempotencyKey(for message: String) -> String? {
        guard let key = self[IdempotencyKeyKey.self], key.message == nil || key.message == message else {
            return nil
        }
        return key.value
    }

    /// Sets the key that was received with a command.
    package mutating func receiveIdempotencyKey(_ key: String?, of message: String) {
        self[IdempotencyKeyKey.self] = key.map { ReceivedKey(value: $0, message: message) }
    }
}

extension Principal {
    /// The principal that the current task works for; nil for an anonymous caller.
    public static var current: Principal? { ServiceContext.current?.principal }
}

extension Deadline {
    /// The moment after which nobody waits for what the current task does; nil for no limit.
    public static var current: Deadline? { ServiceContext.current?.deadline }
}

/// Identifies a command that is sent several times, so that it is carried out once.
public enum IdempotencyKey {
    /// Returns the key of commands of a type, for the handler that carries one out; nil if it came without one.
    ///
    /// A key that a server received with a command is not the key of other commands that its handler dispatches.
    public static func current<C: Command>(for command: C.Type) -> String? {
        ServiceContext.current?.idempotencyKey(for: C.messageName)
    }
}

/// Runs an operation for a principal, as a server does for an authenticated request.
///
/// ```swift
/// try await withPrincipal(Principal(id: "ada", scopes: ["speakers"])) {
///     try await dispatcher.dispatch(RemoveSpeaker(id: "13"))
/// }
/// ```
///
/// - Throws: The error of `operation`.
public func withPrincipal<Value>(
    _ principal: Principal?,
    operation: () async throws -> Value
) async rethrows -> Value {
    try await with(\.principal, principal, operation)
}

/// Runs an operation with an idempotency key, which is sent over HTTP with each command that has no key itself.
///
/// ```swift
/// let key = UUID().uuidString
/// try await withIdempotencyKey(key) {
///     try await api.dispatch(RemoveSpeaker(id: id))
/// }
/// ```
///
/// - Throws: The error of `operation`.
public func withIdempotencyKey<Value>(
    _ key: String?,
    operation: () async throws -> Value
) async rethrows -> Value {
    try await with(\.idempotencyKey, key, operation)
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

/// Runs an operation with one value of the context changed.
private func with<Change, Value>(
    _ keyPath: WritableKeyPath<ServiceContext, Change>,
    _ change: Change,
    _ operation: () async throws -> Value
) async rethrows -> Value {
    var context = ServiceContext.current ?? .topLevel
    context[keyPath: keyPath] = change
    return try await ServiceContext.withValue(context) { try await operation() }
}

/// An idempotency key and the name of the message it came with; nil if a caller set it.
private struct ReceivedKey {
    let value: String
    let message: String?
}

private enum DeadlineKey: ServiceContextKey {
    typealias Value = Deadline
}

private enum PrincipalKey: ServiceContextKey {
    typealias Value = Principal
}

private enum IdempotencyKeyKey: ServiceContextKey {
    typealias Value = ReceivedKey
}
