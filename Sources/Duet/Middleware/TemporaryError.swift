/// An error that can end without a change of the message or of the program, such as a missing connection.
///
/// A queue of commands dispatches a command again after such an error. Conform the errors of a custom dispatcher or
/// handler that are worth another attempt.
public protocol TemporaryError: Error {
    /// Whether the same message may succeed later.
    var isTemporary: Bool { get }
}

extension DispatchError: TemporaryError {
    /// True for a timeout, because the missing handler is missing the next time, too.
    public var isTemporary: Bool { if case .timedOut = self { true } else { false } }
}
