/// A command or a query: a small value that one handler handles.
///
/// Declare a message as a ``Command`` or a ``Query``. Code that treats both alike, such as ``Middleware``, is generic
/// over `Message`.
public protocol Message<Value>: Sendable {
    /// The result of handling the message; `Void` for a command.
    associatedtype Value

    /// The stable name of this message, `Module.Type` by default.
    ///
    /// Errors, logs, metrics, and cache keys use it. Declare it to keep the name when the Swift type is renamed.
    static var messageName: String { get }

    /// The errors that arrive typed at a sender in another process; none by default.
    ///
    /// A handler in this process may throw any error.
    static var declaredErrors: [any DeclaredError.Type] { get }
}

extension Message {
    /// The module and the type path, as in `App.Feed.LoadFeed`.
    public static var messageName: String { qualifiedName(of: self) }

    /// None.
    public static var declaredErrors: [any DeclaredError.Type] { [] }
}

/// An error that travels to another process, where a sender catches the same type.
///
/// List it in the ``Message/declaredErrors`` of the messages whose handlers throw it, or once in their ``MessageAPI``.
public protocol DeclaredError: Error, Codable {
    /// Identifies the error in every process, `Module.Type` by default; never change it once it is in use.
    static var errorName: String { get }
}

extension DeclaredError {
    /// The module and the type path.
    public static var errorName: String { qualifiedName(of: self) }
}

/// A message that changes state and returns nothing.
///
/// ```swift
/// struct AddNote: Command {
///     let text: String
/// }
/// ```
///
/// One ``CommandHandler`` carries it out. To read the changed state, use a ``Query``.
public protocol Command: Message where Value == Void {}

/// A message that returns a value and changes nothing.
///
/// ```swift
/// struct ListNotes: Query {
///     typealias Value = [String]
/// }
/// ```
///
/// The value is unconstrained: it may be a database object or belong to an actor. Only a value that leaves the process
/// has to be `Codable` and `Sendable`.
public protocol Query<Value>: Message {}

/// Returns the module and the type path of a type.
///
/// The runtime puts `(unknown context at $1234).` before the name of a private or function-local type. That address
/// differs from run to run, so a stable name leaves it out.
package func qualifiedName(of type: any Any.Type) -> String {
    let full = String(reflecting: type)
    // Most names have no such part, and this function runs at each dispatch.
    guard full.utf8.contains(UInt8(ascii: "(")) else { return full }
    var rest = Substring(full)
    var name = ""
    while let start = rest.firstRange(of: "(unknown context at $") {
        name += rest[..<start.lowerBound]
        rest = rest[start.upperBound...]
        guard let end = rest.firstRange(of: ").") else { break }
        rest = rest[end.upperBound...]
    }
    return name + rest
}
