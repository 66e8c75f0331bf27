/// Takes queries to where they are answered.
///
/// Something that only reads depends on this half alone.
public protocol QueryDispatcher: Sendable {
    /// Has the query answered.
    ///
    /// - Throws: The handler's own error, unchanged, or a ``DispatchError`` when the query did not reach a handler.
    func dispatch<Q: Query>(_ query: Q) async throws -> Q.Value
}
