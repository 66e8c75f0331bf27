extension CommandQueryDispatcher {
    /// This dispatcher wrapped in middleware, the first one written outermost.
    ///
    /// ```swift
    /// let dispatcher = standard.with(.logging { print($0) }, .timeout(.seconds(2)))
    /// ```
    ///
    /// The layers are put together here, once. Without middleware this is the dispatcher itself.
    public func with<each M: Middleware>(_ middleware: repeat each M) -> any CommandQueryDispatcher {
        var layers: [any Middleware] = []
        for layer in repeat each middleware { layers.append(layer) }
        return with(layers)
    }

    /// This dispatcher wrapped in a list of middleware, the first one outermost.
    public func with(_ middleware: [any Middleware]) -> any CommandQueryDispatcher {
        var dispatcher: any CommandQueryDispatcher = self
        for layer in middleware.reversed() { dispatcher = wrap(dispatcher, in: layer) }
        return dispatcher
    }
}

private func wrap(
    _ next: some CommandQueryDispatcher,
    in middleware: some Middleware
) -> any CommandQueryDispatcher {
    MiddlewareDispatcher(middleware: middleware, next: next)
}

private struct MiddlewareDispatcher<M: Middleware, Next: CommandQueryDispatcher>: CommandQueryDispatcher {
    let middleware: M
    let next: Next

    func dispatch<C: Command>(_ command: C) async throws {
        try await middleware.dispatch(command, next: next)
    }

    func dispatch<Q: Query>(_ query: Q) async throws -> Q.Value {
        try await middleware.dispatch(query, next: next)
    }
}
