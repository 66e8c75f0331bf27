import Duet

/// A layer around the handlers of a container, the same for all of its scopes.
protocol ContainerLayer: Sendable {
    /// Creates what the layer needs, so that it knows which queries are live.
    func prepare(in scope: Scope) async throws

    func dispatch<M: Message>(_ message: M, in scope: Scope, next: ContainerDispatcher) async throws -> M.Value

    func isLive<Q: Query>(_ query: Q.Type, in scope: Scope, next: ContainerDispatcher) -> Bool

    func updates<Q: Query>(of query: Q, in scope: Scope, next: ContainerDispatcher) -> QueryStates<Q.Value>?
    where Q.Value: Sendable
}

/// Middleware that was listed as an instance.
struct InstanceLayer<Layer: Middleware>: ContainerLayer {
    let middleware: Layer

    func prepare(in scope: Scope) async throws {}

    func dispatch<M: Message>(_ message: M, in scope: Scope, next: ContainerDispatcher) async throws -> M.Value {
        try await middleware.dispatch(message, next: next)
    }

    func isLive<Q: Query>(_ query: Q.Type, in scope: Scope, next: ContainerDispatcher) -> Bool {
        middleware.isLive(query, next: next)
    }

    func updates<Q: Query>(of query: Q, in scope: Scope, next: ContainerDispatcher) -> QueryStates<Q.Value>?
    where Q.Value: Sendable {
        middleware.updates(of: query, next: next)
    }
}

/// Middleware that the container creates with the first dispatcher that is resolved outside of a dispatch.
struct MadeLayer<Made: Middleware>: ContainerLayer {
    private let name: DependencyName
    private let provider: Provider<Made>?

    init(name: DependencyName, provider: (any AnyObject & Sendable)?) {
        self.name = name
        self.provider = provider as? Provider<Made>
    }

    func prepare(in scope: Scope) async throws {
        guard provider?.source.ready(in: scope) == nil else { return }
        let _: Made = try await scope.value(named: name)
    }

    func dispatch<M: Message>(_ message: M, in scope: Scope, next: ContainerDispatcher) async throws -> M.Value {
        if !scope.hasEnded, let made = provider?.source.ready(in: scope) {
            return try await made.dispatch(message, next: next)
        }
        let made: Made = try await scope.value(named: name)
        return try await made.dispatch(message, next: next)
    }

    func isLive<Q: Query>(_ query: Q.Type, in scope: Scope, next: ContainerDispatcher) -> Bool {
        provider?.source.ready(in: scope)?.isLive(query, next: next) ?? next.isLive(query)
    }

    func updates<Q: Query>(of query: Q, in scope: Scope, next: ContainerDispatcher) -> QueryStates<Q.Value>?
    where Q.Value: Sendable {
        if let made = provider?.source.ready(in: scope) { return made.updates(of: query, next: next) }
        // The layer is created with the first state, as for the first message.
        return QueryStates { [name] in
            var states: QueryStates<Q.Value>.AsyncIterator?
            return {
                if states == nil {
                    do {
                        let made: Made = try await scope.value(named: name)
                        states = made.updates(of: query, next: next)?.makeAsyncIterator()
                    } catch {
                        states = QueryStates(failure: error).makeAsyncIterator()
                    }
                }
                if states == nil { states = QueryStates(failure: UnobservableQuery(Q.self)).makeAsyncIterator() }
                return await states?.next()
            }
        }
    }
}
