import Synchronization

/// Runs the handler of a command that was dispatched with a key.
///
/// The key identifies that command. Commands that its handler dispatches are other work, and must not have the same
/// key.
package protocol HandlerBoundary: Sendable {
    /// Runs a handler.
    ///
    /// - Throws: The error of `body`.
    func enter<M: Message>(_ message: M.Type, _ body: () async throws -> M.Value) async throws -> M.Value
}

/// The boundaries of tasks whose commands have keys.
package enum HandlerBoundaries {
    @TaskLocal private static var boundary: (any HandlerBoundary)?
    private static let isAny = Atomic(false)

    /// Whether any task has had a boundary, because looking for one takes half as long as a dispatch.
    @inline(__always)
    package static var areUsed: Bool { isAny.load(ordering: .relaxed) }

    /// Runs the handler of a command within the boundary of the current task, if there is one.
    ///
    /// - Throws: The error of `body`.
    @inline(never)
    package static func enter<M: Message>(
        _ message: M.Type,
        _ body: () async throws -> M.Value
    ) async throws -> M.Value {
        guard let boundary else { return try await body() }
        return try await boundary.enter(message, body)
    }

    /// Runs an operation whose commands may have keys.
    package static func run<Value>(
        within boundary: some HandlerBoundary,
        _ operation: () async throws -> Value
    ) async rethrows -> Value {
        isAny.store(true, ordering: .relaxed)
        return try await $boundary.withValue(boundary) { try await operation() }
    }
}
