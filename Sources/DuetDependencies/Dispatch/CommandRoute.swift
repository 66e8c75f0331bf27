import Duet
import Synchronization

/// The way of one command to its handler, which is resolved on the way.
final class CommandRoute<C: Command>: Sendable {
    private let handling: any CommandHandling<C>
    private let singleton = AtomicLazyReference<CommandBox<C>>()

    init(_ handling: any CommandHandling<C>) {
        self.handling = handling
    }

    /// The handler, when it is a singleton and has been made.
    @inline(__always)
    var handler: CommandBox<C>? { singleton.load() }

    func handle(_ command: C, in scope: Scope) async throws {
        guard scope.isPlain else { return try await handling.handle(command, in: scope) }
        if let handler = try await handling.singleton(in: scope) {
            return try await singleton.storeIfNil(handler).handle(command)
        }
        return try await handling.handle(command, in: scope)
    }
}

/// Resolves the handler of a command and has it done.
protocol CommandHandling<Message>: Sendable {
    associatedtype Message: Command

    /// The handler, made or made before, if it is a singleton.
    func singleton(in scope: Scope) async throws -> CommandBox<Message>?

    func handle(_ command: Message, in scope: Scope) async throws
}

/// Resolves a handler of type `H`, in a scope for this dispatch if anything that it needs is scoped.
struct ResolvedCommandHandling<H: CommandHandler>: CommandHandling {
    let provider: Provider<H>
    let needsScope: Bool

    func singleton(in scope: Scope) async throws -> CommandBox<H.Message>? {
        guard let singleton = provider.singleton else { return nil }
        let value = try await singleton.sendableValue(in: scope) as? any CommandBoxable
        return value?.commandBox() as? CommandBox<H.Message>
    }

    func handle(_ command: H.Message, in scope: Scope) async throws {
        guard needsScope || !scope.isPlain else {
            return try await provider.value(in: scope).handle(command)
        }
        let scope = Scope(.dispatch, in: scope)
        do {
            let handler: H = try await scope.resolve()
            try await handler.handle(command)
            await scope.dispose()
        } catch {
            await scope.dispose()
            throw error
        }
    }
}

/// A value that may be a command's handler, and then can be boxed as one.
private protocol CommandBoxable: Sendable {
    func commandBox() -> any AnyObject & Sendable
}

extension SendableValue: CommandBoxable where Value: CommandHandler {
    fileprivate func commandBox() -> any AnyObject & Sendable { CommandBox<Value.Message>(value) }
}
