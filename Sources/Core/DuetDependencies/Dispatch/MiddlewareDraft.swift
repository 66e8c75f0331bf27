import Duet

/// Middleware as it was listed for the dispatcher: an instance, or a factory whose parameters are its dependencies.
struct MiddlewareDraft: Sendable {
    /// The registration of the middleware that a factory creates; nil for an instance.
    let registration: Registration?
    /// Returns the layer of a dispatcher in a scope.
    let layer: @Sendable (_ scope: Scope) -> any Middleware

    init(_ middleware: any Middleware) {
        registration = nil
        layer = { _ in middleware }
    }

    /// - Parameter index: The position in the list, because several layers may have the same type.
    init<Made: Middleware>(_ maker: FactoryMaker<Made>, index: Int, _ location: SourceLocation) {
        let name = DependencyName("middleware \(index + 1)")
        registration = Registration(shared: maker, .singleton, named: name, location)
        layer = { MadeMiddleware<Made>(name: name, scope: $0) }
    }
}

/// Middleware that the container creates before the first message.
private struct MadeMiddleware<Made: Middleware>: Middleware {
    private let name: DependencyName
    private let scope: Scope
    private let provider: Provider<Made>?

    init(name: DependencyName, scope: Scope) {
        self.name = name
        self.scope = scope
        // A container stores a provider under the type of its value, so the provider found here is a `Provider<Made>`.
        provider = scope.container.provider(for: DependencyKey(Made.self, name))
            .map { unsafe unsafeDowncast($0, to: Provider<Made>.self) }
    }

    func dispatch<M: Message>(_ message: M, next: some Dispatcher) async throws -> M.Value {
        if !scope.hasEnded, let made = provider?.source.ready(in: scope) {
            return try await made.dispatch(message, next: next)
        }
        let made: Made = try await scope.value(named: name)
        return try await made.dispatch(message, next: next)
    }

    func isLive<Q: Query>(_ query: Q.Type, next: some Dispatcher) -> Bool {
        provider?.source.ready(in: scope)?.isLive(query, next: next) ?? next.isLive(query)
    }

    func updates<Q: Query>(of query: Q, next: some Dispatcher) -> QueryStates<Q.Value>? where Q.Value: Sendable {
        if let made = provider?.source.ready(in: scope) { return made.updates(of: query, next: next) }
        // The layer is created with the first state, as for the first message.
        return QueryStates {
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
