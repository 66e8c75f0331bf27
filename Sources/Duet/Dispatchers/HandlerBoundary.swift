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

/// The boundary of the current task; nil if its commands have no keys.
package enum HandlerBoundaries {
    @TaskLocal package static var current: (any HandlerBoundary)?
}
