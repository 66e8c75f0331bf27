import Duet

/// Resolves a handler of type `H`, in a scope for this dispatch if anything that it needs is scoped.
final class ResolvedQueryHandling<H: QueryHandler>: QueryHandling {
    private let provider: Provider<H>
    private let needsScope: Bool

    init(provider: Provider<H>, needsScope: Bool) {
        self.provider = provider
        self.needsScope = needsScope
    }

    func handle(
        _ query: H.Message,
        in scope: Scope,
        on route: QueryRoute<H.Message>
    ) async throws -> H.Message.Value {
        if needsScope {
            return try await Scope(.dispatch, in: scope).ending { try await $0.resolve(H.self).handle(query) }
        }
        // What is overridden is made in the scope that overrides it, which is another one than the dispatch's.
        guard scope.isPlain else { return try await scope.resolve(H.self).handle(query) }
        if let handler = try await singleton(in: scope) {
            return try await route.singleton.publish(handler).handle(query)
        }
        return try await provider.value(in: scope).handle(query)
    }

    /// The handler, made or made before, if it is a singleton.
    private func singleton(in scope: Scope) async throws -> QueryBox<H.Message>? {
        guard let singleton = provider.singleton else { return nil }
        let value = try await singleton.sendableValue(in: scope) as? any QueryBoxable
        return value?.queryBox() as? QueryBox<H.Message>
    }
}

/// A value that may be a query's handler, and then can be boxed as one.
private protocol QueryBoxable: Sendable {
    func queryBox() -> any AnyObject & Sendable
}

extension SendableValue: QueryBoxable where Value: QueryHandler {
    fileprivate func queryBox() -> any AnyObject & Sendable { QueryBox<Value.Message>(value) }
}
