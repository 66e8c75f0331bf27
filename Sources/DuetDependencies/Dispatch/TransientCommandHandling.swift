import Duet

/// Has a handler make itself, when that is made anew for each command and nothing that it needs is scoped.
final class TransientCommandHandling<H: CommandHandler & Resolvable>: CommandHandling {
    private let name: String
    /// For scopes in which something is overridden.
    private let overridden: ResolvedCommandHandling<H>

    init(name: String, overridden: ResolvedCommandHandling<H>) {
        self.name = name
        self.overridden = overridden
    }

    // Inlined, or the protocol's method and this one are two asynchronous calls.
    @inline(__always)
    func handle(_ command: H.Message, in scope: Scope, on route: CommandRoute<H.Message>) async throws {
        guard scope.isPlain else { return try await overridden.handle(command, in: scope, on: route) }
        // One `do` for both saves moving the handler to another place. Only the error of making it gets a path.
        var isMade = false
        do {
            let handler = try await H(from: scope)
            isMade = true
            try await handler.handle(command)
        } catch {
            throw isMade ? error : ResolutionError.wrap(error, in: name)
        }
    }
}
