/// There was no connection, so that nothing of a request has been sent.
///
/// A client of your own throws ``HTTPClientError/connectionFailed(url:reason:underlying:)`` with this around what kept it from
/// connecting: ``HTTPClientError/isUnsent`` is true then.
public struct NotConnected: Error {
    /// What kept it from connecting.
    public let underlying: any Error

    /// Wraps what kept a client from connecting.
    public init(_ underlying: any Error) {
        self.underlying = underlying
    }
}

extension NotConnected: CustomStringConvertible {
    /// What kept it from connecting.
    public var description: String { "\(underlying)" }
}
