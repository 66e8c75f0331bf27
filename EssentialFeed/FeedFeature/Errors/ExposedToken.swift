import Duet

/// The sender's token would be sent to another machine without encryption, so nothing was sent.
public struct ExposedToken: Error, Hashable, CustomStringConvertible {
    /// The machine.
    public let host: String

    /// Creates an error for the machine.
    public init(host: String) {
        self.host = host
    }

    /// The refusal and its remedy.
    public var description: String {
        "The token was not sent to \(host.safe(upTo: 255)), because others on the network can read a token sent over http. Use https."
    }
}
