/// A message that asks for a value and changes nothing.
///
/// The value is unconstrained: it may be a database object or belong to an actor. Only what leaves the process has to be
/// `Codable` and `Sendable`.
public protocol Query<Value>: Sendable {
    /// What the query is answered with.
    associatedtype Value

    /// The one stable name of this message, `Module.Type` unless set.
    ///
    /// Errors, logs, metrics, cache keys and carriers use it. Set it to keep the name when the Swift type is renamed.
    static var messageName: String { get }
}

extension Query {
    /// The module and the type path, as long as no other name is set.
    public static var messageName: String { qualifiedName(of: self) }
}
