/// An error that can end without a change of the message or of the program, such as a missing connection.
///
/// A queue of commands dispatches a command again after such an error. Conform the errors of a custom dispatcher or
/// handler that are worth another attempt. A middleware that replaces errors passes on those that are temporary.
public protocol TemporaryError: Error {
    /// Whether the same message may succeed later.
    var isTemporary: Bool { get }

    /// How long to wait before the next attempt; nil, which is the default, if the error does not say.
    var retryAfter: Duration? { get }

    /// Whether the message may succeed after somebody has signed in, and not before; false by default.
    ///
    /// A queue of commands then waits for its `sendNow()`, also if the error is not temporary.
    var needsSignIn: Bool { get }

    /// Whether other messages would fail, too, such as without a connection; true by default.
    ///
    /// A queue of commands then sends nothing for a while. After another error, such as a rate limit, it sends no
    /// command of the same type for a while.
    var concernsConnection: Bool { get }
}

extension TemporaryError {
    /// Nil: the error does not say.
    public var retryAfter: Duration? { nil }

    /// False: the message may succeed without credentials, or with the present ones.
    public var needsSignIn: Bool { false }

    /// True: other messages would fail, too.
    public var concernsConnection: Bool { true }
}

extension DispatchError: TemporaryError {
    /// True for a timeout, because the missing handler is missing the next time, too.
    public var isTemporary: Bool { if case .timedOut = self { true } else { false } }
}
