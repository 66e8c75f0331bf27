/// The one place where a message's work is done.
///
/// Conform to ``CommandHandler`` or ``QueryHandler``. A handler that a dispatcher stores must be `Sendable`. A
/// `@MainActor` class is `Sendable`; repeat `@MainActor` on its `handle(_:)`, and return the value as `sending` if it
/// is not `Sendable`.
public protocol Handler<Message>: SendableMetatype {
    /// The message that this handler handles.
    associatedtype Message: Duet.Message

    /// Handles the message.
    ///
    /// Carry out a command completely or not at all. Let a query return a value and change nothing.
    ///
    /// - Throws: The reason for a failure. The error reaches the caller of `dispatch` unchanged.
    func handle(_ message: Message) async throws -> Message.Value
}

/// The handler of a command.
///
/// ```swift
/// struct AddNoteHandler: CommandHandler {
///     let notebook: Notebook
///     func handle(_ command: AddNote) async throws { await notebook.add(command.text) }
/// }
/// ```
public protocol CommandHandler<Message>: Handler where Message: Command {}

/// The handler of a query.
///
/// ```swift
/// struct ListNotesHandler: QueryHandler {
///     let notebook: Notebook
///     func handle(_ query: ListNotes) async throws -> [String] { await notebook.notes }
/// }
/// ```
public protocol QueryHandler<Message>: Handler where Message: Query {}
