/// A message that changes state and returns nothing.
///
/// A command is a small value that says what shall happen; one ``CommandHandler`` makes it happen.
/// What it changed is read with a ``Query``.
public protocol Command: Sendable {
    /// The one stable name of this message, `Module.Type` unless set.
    ///
    /// Errors, logs, metrics, cache keys and carriers use it. Set it to keep the name when the Swift type is renamed.
    static var messageName: String { get }
}

extension Command {
    /// What a command's handler returns: nothing.
    ///
    /// It lets one expression, `Handler.Message.Value`, name the result of any handler.
    public typealias Value = Void

    /// The module and the type path, as long as no other name is set.
    public static var messageName: String { qualifiedName(of: self) }
}
