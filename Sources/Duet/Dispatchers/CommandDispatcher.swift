/// Takes commands to where they are handled.
///
/// Something that only writes depends on this half alone.
public protocol CommandDispatcher: Sendable {
    /// Has the command handled, and returns when that is done.
    ///
    /// - Throws: The handler's own error, unchanged, or a ``DispatchError`` when the command did not reach a handler.
    func dispatch<C: Command>(_ command: C) async throws
}
