/// The token of the person for whom messages are sent, as a dependency.
public struct SenderToken: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The token, as printed by `feed token`; nil for an anonymous sender.
    public let text: String?

    /// Creates a value with a token, or for an anonymous sender.
    public init(_ text: String? = nil) {
        self.text = text
    }

    /// The type's name, so that no log shows the token.
    public var description: String { "SenderToken" }

    /// A mirror without the token.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
