/// A command that is answered with the value of a query.
///
/// ```swift
/// struct RenameNote: AnsweredCommand {
///     let id: Int
///     let text: String
///     func answer(from content: Note?) -> LoadNote? { LoadNote(id: id) }
/// }
/// let note = try await dispatcher.answer(to: RenameNote(id: 7, text: "Rye bread"))
/// ```
///
/// The command still returns nothing. ``Dispatcher/answer(to:)`` dispatches it, and then the query. Both have their own
/// handler and their own authorization rule. Over HTTP, one request carries both.
public protocol AnsweredCommand: Command {
    /// The query whose value is the answer.
    associatedtype Answer: PayloadQuery & Hashable where Answer.Value: Sendable

    /// Returns the query whose value is the answer; nil if neither the command nor the content tells.
    ///
    /// If the command tells the query, return it with and without content. An ``AnsweringHandler`` names a query that
    /// the command does not tell, such as that of a new identifier. A client of a server finds it by the content. What
    /// the handler or the content tells comes first.
    ///
    /// - Parameter content: The answer, in the response of another process; nil before it arrives.
    func answer(from content: Answer.Payload?) -> Answer?
}

/// The handler of a command that names the query that answers it.
///
/// ```swift
/// struct AddNoteHandler: AnsweringHandler {
///     let notebook: Notebook
///     func handle(_ command: AddNote) async throws -> LoadNote { LoadNote(id: await notebook.add(command.text)) }
/// }
/// ```
///
/// It is for what only the handler knows, such as a new identifier. Any other ``CommandHandler`` suffices if the
/// command itself tells the query.
public protocol AnsweringHandler<Message>: CommandHandler where Message: AnsweredCommand {
    /// Carries out the command, and returns the query whose value is the answer.
    ///
    /// - Throws: The reason for a failure. The error reaches the caller of `dispatch` unchanged.
    func handle(_ command: Message) async throws -> Message.Answer
}

extension AnsweringHandler {
    /// Carries out the command, and names the query to those who wait for the answer.
    ///
    /// - Throws: The error of the handler.
    public func handle(_ command: Message) async throws {
        let query: Message.Answer = try await handle(command)
        CommandAnswer<Message>.current?.note(query)
    }
}
