import Duet

/// Resolves a handler of type `H`, in a scope for this dispatch if anything that it needs is scoped.
final class ResolvedCommandHandling<H: CommandHandler>: CommandHandling {
    private let provider: Provider<H>
    private let needsScope: Bool

    init(provider: Provider<H>, needsScope: Bool) {
        self.provider = provider
        self.needsScope = needsScope
    }

    func handle(_ command: H.Message, in scope: Scope, on route: CommandRoute<H.Message>) async throws {
        if needsScope {
            return try await Scope(.dispatch, in: scope).ending { try await $0.resolve(H.self).handle(command) }
        }
        // What is overridden is made in the scope that overrides it, which is another one than the dispatch's.
        guard scope.isPlain else { return try await scope.resolve(H.self).handle(command) }
        if let handler = try await singleton(in: scope) {
            return try await route.singleton.publish(handler).handle(command)
        }
        return try await provider.value(in: scope).handle(command)
    }

    /// The handler, made or made before, if it is a singleton.
    private func singleton(in scope: Scope) async throws -> CommandBox<H.Message>? {
        guard let singleton = provider.singleton else { return nil }
        let value = try await singleton.sendableValue(in: scope) as? any CommandBoxable
        return value?.commandBox() as? CommandBox<H.Message>
    }
}

/// A value that may be a command's handler, and then can be boxed as one.
private protocol CommandBoxable: Sendable {
    func commandBox() -> any AnyObject & Sendable
}

extension SendableValue: CommandBoxable where Value: CommandHandler {
    fileprivate func commandBox() -> any AnyObject & Sendable { CommandBox<Value.Message>(value) }
}
