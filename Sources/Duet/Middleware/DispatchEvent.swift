/// How the dispatch of one message ended.
public struct DispatchEvent: Sendable {
    /// The name of the message.
    public let message: String

    /// How long it took.
    public let duration: Duration

    /// Why it failed, or nil when it was handled.
    public let error: (any Error)?
}
