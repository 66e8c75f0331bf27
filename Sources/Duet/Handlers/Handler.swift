/// The one place where a message's work is done.
///
/// Conform to ``CommandHandler`` or ``QueryHandler``. A handler that a dispatcher stores is `Sendable`. A `@MainActor` class
/// is, and repeats `@MainActor` on `handle(_:)`; it returns `sending` where the value is not `Sendable`.
public protocol Handler<Message>: SendableMetatype {
    /// The message that this handler handles.
    associatedtype Message: Duet.Message

    /// Handles the message: carries out a command entirely or not at all, or returns a query's value and changes nothing.
    ///
    /// - Throws: The reason for a failure. The error reaches the caller of `dispatch` unchanged.
    func handle(_ message: Message) async throws -> Message.Value
}

/// The handler of a command.
public protocol CommandHandler<Message>: Handler where Message: Command {}

/// The handler of a query.
public protocol QueryHandler<Message>: Handler where Message: Query {}
