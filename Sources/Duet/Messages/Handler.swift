/// The one place where a message's work is done.
///
/// Conform to ``CommandHandler`` or ``QueryHandler``. A handler that a dispatcher stores is `Sendable`. A `@MainActor`
/// class is `Sendable`; it repeats `@MainActor` on `handle(_:)` and returns `sending` if the value is not `Sendable`.
public protocol Handler<Message>: SendableMetatype {
    /// The message that this handler handles.
    associatedtype Message: Duet.Message

    /// Handles the message.
    ///
    /// A command is carried out completely or not at all. A query returns a value and changes nothing.
    ///
    /// - Throws: The reason for a failure. The error reaches the caller of `dispatch` unchanged.
    func handle(_ message: Message) async throws -> Message.Value
}

/// The handler of a command.
public protocol CommandHandler<Message>: Handler where Message: Command {}

/// The handler of a query.
public protocol QueryHandler<Message>: Handler where Message: Query {}
