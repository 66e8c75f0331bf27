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

    @inline(__always)
    func handle(_ command: H.Message, in scope: Scope, on route: CommandRoute<H.Message>) async throws {
        guard scope.isPlain else { return try await overridden.handle(command, in: scope, on: route) }
        // One `do` for both, which saves moving the handler from one place to another; only the first error is told with a path.
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
