/// The right of work that the program does by itself, for nobody.
public struct Authority: Hashable, Sendable {
    package let name: String

    /// The authority of a part of the program, such as a job, a health check or a seeder.
    ///
    /// - Parameter name: The name of the work, for logs.
    public static func program(_ name: String) -> Authority { Authority(name: name) }

    /// The authority of the work that the current task does; nil for work of a caller.
    public static var current: Authority? { Caller.current.authority }
}

/// Runs work of the program, whose messages every ``AuthorizationRule`` accepts.
///
/// ```swift
/// try await withAuthority(.program("seeder")) {
///     try await door.dispatch(AddNote(text: "Eggs"))
/// }
/// ```
///
/// Only nodes of a cluster carry the authority to other processes. ``withPrincipal(_:operation:)`` ends it.
///
/// - Throws: The error of `operation`.
public func withAuthority<Value>(_ authority: Authority, operation: () async throws -> Value) async rethrows -> Value {
    try await Caller(authority: authority, isServed: Caller.current.isServed).run(operation)
}
