/// The reason why a message was not handled, other than an error of its handler.
@nonexhaustive
public enum DispatchError: Error, Equatable, CustomStringConvertible {
    /// The dispatcher has no handler for the message of this name.
    case handlerNotFound(message: String)

    /// The dispatcher has two handlers for the message of this name.
    case duplicateHandler(message: String, handlers: [String])

    /// The message of this name took longer than the timeout allows.
    case timedOut(message: String, after: Duration)

    /// The failure and its remedy.
    public var description: String {
        switch self {
        case .handlerNotFound(let message):
            "No handler for \(message). Add one to the dispatcher that received this message."
        case .duplicateHandler(let message, let handlers):
            "Two handlers for \(message): \(handlers.joined(separator: " and ")). A message has one; remove the other."
        case .timedOut(let message, let duration):
            "\(message) took longer than \(duration.text). Make its handler faster or allow it more time."
        }
    }
}

/// An error of dependency injection.
package protocol ScopeError: Error {
    /// Whether the scope of the one who dispatched has ended meanwhile.
    var isEndOfScope: Bool { get }
}
