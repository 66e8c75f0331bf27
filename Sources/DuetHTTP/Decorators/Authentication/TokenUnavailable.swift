/// A source of tokens failed, so that a request was not sent, or not sent again after its token was not taken.
///
/// It is no ``HTTPClientError``, whatever is within, because it is not the request that failed: to send that again would only
/// ask for a token again.
public struct TokenUnavailable: Error {
    /// What the source threw.
    public let underlying: any Error
}

extension TokenUnavailable: CustomStringConvertible {
    /// What the source says, and where to look.
    public var description: String {
        "No bearer token for the request: \(underlying). See to what the source of tokens needs."
    }
}
