/// A command or a query: a small value that one handler handles.
///
/// Declare a message as a ``Command`` or a ``Query``. Code that treats both alike, such as ``Middleware``, is generic over
/// `Message`.
public protocol Message<Value>: Sendable {
    /// The result of handling the message; `Void` for a command.
    associatedtype Value

    /// The stable name of this message, `Module.Type` by default.
    ///
    /// Errors, logs, metrics, cache keys and carriers use it. Set it to keep the name when the Swift type is renamed.
    static var messageName: String { get }
}

extension Message {
    /// The module and the type path.
    public static var messageName: String { qualifiedName(of: self) }
}

/// A message that changes state and returns nothing.
///
/// One ``CommandHandler`` carries it out. Read what it changed with a ``Query``.
public protocol Command: Message where Value == Void {}

/// A message that returns a value and changes nothing.
///
/// The value is unconstrained: it may be a database object or belong to an actor. Only what leaves the process has to be
/// `Codable` and `Sendable`.
public protocol Query<Value>: Message {}
