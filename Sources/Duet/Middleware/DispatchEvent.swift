/// How the dispatch of one message ended.
public struct DispatchEvent: Sendable {
    /// The name of the message, made when it is asked for: what is not logged need not be named.
    public var message: String { name() }

    /// How long it took.
    public let duration: Duration

    /// Why it failed, or nil when it was handled.
    public let error: (any Error)?

    private let name: @Sendable () -> String

    init(message: @escaping @autoclosure @Sendable () -> String, duration: Duration, error: (any Error)?) {
        name = message
        self.duration = duration
        self.error = error
    }
}
