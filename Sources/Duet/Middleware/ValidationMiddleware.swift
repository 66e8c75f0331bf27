/// Stops messages that are not valid before anything else happens to them.
public struct ValidationMiddleware: Middleware {
    /// Makes the middleware, which has nothing to set.
    public init() {}

    /// Checks the command if it is ``Validatable``, then dispatches it.
    public func dispatch<C: Command>(_ command: C, next: some CommandDispatcher) async throws {
        try (command as? any Validatable)?.validate()
        try await next.dispatch(command)
    }

    /// Checks the query if it is ``Validatable``, then dispatches it.
    public func dispatch<Q: Query>(_ query: Q, next: some QueryDispatcher) async throws -> Q.Value {
        try (query as? any Validatable)?.validate()
        return try await next.dispatch(query)
    }
}

extension Middleware where Self == ValidationMiddleware {
    /// Stops messages that are not valid.
    public static var validation: Self { ValidationMiddleware() }
}
