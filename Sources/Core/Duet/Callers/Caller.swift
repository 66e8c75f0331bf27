/// For whom the current task works, and what it may do.
package struct Caller: Sendable {
    /// Nil for an anonymous caller.
    package var principal: Principal?
    /// The right of work of the program; nil for work of a caller.
    package var authority: Authority?
    /// Whether another node of the cluster has sent the message.
    package var isNode = false
    /// Whether the task works for a client of this program.
    package var isServed: Bool
    /// Whether a message of this caller has been accepted, and its handler runs.
    package var isAdmitted = false

    @TaskLocal package static var current = Caller()

    package init(principal: Principal? = nil, authority: Authority? = nil, isServed: Bool = false) {
        self.principal = principal
        self.authority = authority
        self.isServed = isServed
    }

    package func run<Value>(_ operation: () async throws -> Value) async rethrows -> Value {
        try await Self.$current.withValue(self) { try await operation() }
    }

    package func run<Value>(_ operation: () throws -> Value) rethrows -> Value {
        try Self.$current.withValue(self) { try operation() }
    }

    /// Runs an operation for a caller whose message has been accepted.
    package func admitted<Value>(_ operation: () async throws -> Value) async rethrows -> Value {
        try await Self.$current.withValue(asAdmitted) { try await operation() }
    }

    package func admitted<Value>(_ operation: () throws -> Value) rethrows -> Value {
        try Self.$current.withValue(asAdmitted) { try operation() }
    }

    private var asAdmitted: Caller {
        var caller = self
        caller.isAdmitted = true
        return caller
    }
}

extension Principal {
    /// The principal that the current task works for; nil for an anonymous caller.
    public static var current: Principal? { Caller.current.principal }
}

/// Runs an operation for a principal, as a server does for an authenticated request.
///
/// ```swift
/// try await withPrincipal(Principal(id: "ada", scopes: ["speakers"])) {
///     try await dispatcher.dispatch(RemoveSpeaker(id: "13"))
/// }
/// ```
///
/// Within the handler of an accepted message, the messages of the operation are checked again.
///
/// - Throws: The error of `operation`.
public func withPrincipal<Value>(_ principal: Principal?, operation: () async throws -> Value) async rethrows -> Value {
    try await Caller(principal: principal, isServed: Caller.current.isServed).run(operation)
}

/// Runs work for a client of this program, as a server does for each request.
///
/// Mounted messages, `HTTPService` and the nodes of a cluster do this by themselves. Do it in other routes that
/// dispatch commands, so that caches do not show a change to other clients before the command has been accepted.
///
/// - Throws: The error of `operation`.
public func withServedRequest<Value>(operation: () async throws -> Value) async rethrows -> Value {
    var caller = Caller.current
    caller.isServed = true
    return try await caller.run(operation)
}

extension Task where Success == Never, Failure == Never {
    /// Whether the current task works for a client of this program: see ``withServedRequest(operation:)``.
    ///
    /// A queue of commands restores this for those that it sends.
    public static var isServingRequest: Bool { Caller.current.isServed }
}
