import Duet

/// Has a handler make itself, when that is made anew for each query and nothing that it needs is scoped.
final class TransientQueryHandling<H: QueryHandler & Resolvable>: QueryHandling {
    private let name: String
    /// For scopes in which something is overridden.
    private let overridden: ResolvedQueryHandling<H>

    init(name: String, overridden: ResolvedQueryHandling<H>) {
        self.name = name
        self.overridden = overridden
    }

    // Inlined, or the protocol's method and this one are two asynchronous calls.
    @inline(__always)
    func handle(
        _ query: H.Message,
        in scope: Scope,
        on route: QueryRoute<H.Message>
    ) async throws -> H.Message.Value {
        guard scope.isPlain else { return try await overridden.handle(query, in: scope, on: route) }
        // One `do` for both saves moving the handler to another place. Only the error of making it gets a path.
        var isMade = false
        do {
            let handler = try await H(from: scope)
            isMade = true
            return try await handler.handle(query)
        } catch {
            throw isMade ? error : ResolutionError.wrap(error, in: name)
        }
    }
}
