/// The one place where the work of a command is done.
///
/// A handler that a dispatcher keeps is `Sendable`. A `@MainActor` class is, and repeats `@MainActor` on `handle(_:)`.
public protocol CommandHandler<Message>: SendableMetatype {
    /// The command that this handler handles.
    associatedtype Message: Command

    /// Does what the command says, whole or not at all.
    ///
    /// - Throws: Whatever kept it from being done. The error reaches the caller of `dispatch` unchanged.
    func handle(_ command: Message) async throws
}
