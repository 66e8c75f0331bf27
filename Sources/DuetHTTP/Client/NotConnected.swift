/// There was no connection, so nothing of a request was sent.
///
/// A custom client throws ``HTTPClientError/connectionFailed(url:reason:underlying:)`` with this around the underlying
/// error, so that ``HTTPClientError/isUnsent`` is true.
public struct NotConnected: Error {
    /// The error that prevented the connection.
    public let underlying: any Error

    /// Wraps the error that prevented the connection.
    public init(_ underlying: any Error) {
        self.underlying = underlying
    }
}

extension NotConnected: CustomStringConvertible {
    /// The description of the underlying error.
    public var description: String { "\(underlying)" }
}
