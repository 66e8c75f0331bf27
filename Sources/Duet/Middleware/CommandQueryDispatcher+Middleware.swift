extension CommandQueryDispatcher {
    /// This dispatcher wrapped in middleware, the first one written outermost.
    ///
    /// ```swift
    /// let dispatcher = standard.with(.logging { print($0) }, .timeout(.seconds(2)))
    /// ```
    ///
    /// The layers are put together here, once. Without middleware this is the dispatcher itself.
    public func with(_ middleware: any Middleware...) -> any CommandQueryDispatcher {
        with(middleware)
    }

    package func with(_ middleware: [any Middleware]) -> any CommandQueryDispatcher {
        var dispatcher: any CommandQueryDispatcher = self
        for layer in middleware.reversed() { dispatcher = wrap(dispatcher, in: layer) }
        return dispatcher
    }
}

/// Opens both, so that a layer calls what comes next by its type and not through another existential.
private func wrap(
    _ next: some CommandQueryDispatcher,
    in middleware: some Middleware
) -> any CommandQueryDispatcher {
    MiddlewareDispatcher(middleware: middleware, next: next)
}

private struct MiddlewareDispatcher<M: Middleware, Next: CommandQueryDispatcher>: CommandQueryDispatcher {
    let middleware: M
    let next: Next

    @inline(__always)
    func dispatch<C: Command>(_ command: C) async throws {
        try await middleware.dispatch(command, next: next)
    }

    @inline(__always)
    func dispatch<Q: Query>(_ query: Q) async throws -> Q.Value {
        try await middleware.dispatch(query, next: next)
    }
}

extension MiddlewareDispatcher: HandlerListing where Next: HandlerListing {
    func hasHandler(for message: ObjectIdentifier) -> Bool { next.hasHandler(for: message) }
}
