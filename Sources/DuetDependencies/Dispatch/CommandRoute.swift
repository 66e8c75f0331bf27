import Duet

/// The way of one command to its handler, which is resolved on the way.
final class CommandRoute<C: Command>: Sendable {
    let handling: any CommandHandling<C>
    /// The handler, when it is a singleton and has been made.
    let singleton = Published<CommandBox<C>>()

    init(_ handling: any CommandHandling<C>) {
        self.handling = handling
    }
}

/// Resolves the handler of a command and has it done.
protocol CommandHandling<Message>: AnyObject, Sendable {
    associatedtype Message: Command

    func handle(_ command: Message, in scope: Scope, on route: CommandRoute<Message>) async throws
}
