/// Wraps dispatch in one concern: logging, retry, validation, authorization, a timeout.
///
/// One method wraps every message. `next` is a dispatcher: the layers further in, then the handler. Middleware that
/// does not call it stops the message. Middleware that calls it with another value changes the message, and middleware
/// that calls it again repeats the message.
///
/// ```swift
/// /// Stops commands and forwards queries.
/// struct ReadOnly: Middleware {
///     func dispatch<M: Message>(_ message: M, next: some Dispatcher) async throws -> M.Value {
///         if M.self is any Command.Type { throw CommandRefused(message: M.messageName) }
///         return try await next.dispatch(message)
///     }
/// }
/// ```
public protocol Middleware: Sendable {
    /// Wraps the dispatch of a message.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - next: The layers further in, then the handler.
    /// - Returns: The message's value, usually that of `next.dispatch(message)`.
    /// - Throws: The error of `next`, or the middleware's reason to stop the message.
    func dispatch<M: Message>(_ message: M, next: some Dispatcher) async throws -> M.Value
}

extension Dispatcher {
    /// Returns this dispatcher wrapped in middleware, the first one outermost.
    ///
    /// ```swift
    /// with(
    ///     .logging { event in print(event.message, event.error ?? "succeeded") },
    ///     .validation,
    ///     .retry(RetryPolicy(maximumAttempts: 3)),
    ///     .timeout(.seconds(2))
    /// )
    /// ```
    ///
    /// The layers are composed once, in this method. Without middleware, the result is this dispatcher itself.
    ///
    /// - Parameter middleware: The layers, the first one outermost.
    public func with(_ middleware: any Middleware...) -> any Dispatcher {
        with(middleware)
    }

    package func with(_ middleware: [any Middleware]) -> any Dispatcher {
        var dispatcher: any Dispatcher = self
        for layer in middleware.reversed() { dispatcher = wrap(dispatcher, in: layer) }
        return dispatcher
    }
}

/// Opens both existentials, so that each layer calls the next one by its concrete type.
private func wrap(_ next: some Dispatcher, in middleware: some Middleware) -> any Dispatcher {
    MiddlewareDispatcher(middleware: middleware, next: next)
}

private struct MiddlewareDispatcher<Layer: Middleware, Next: Dispatcher>: Dispatcher {
    let middleware: Layer
    let next: Next

    @inline(__always)
    func dispatch<M: Message>(_ message: M) async throws -> M.Value {
        try await middleware.dispatch(message, next: next)
    }
}

extension MiddlewareDispatcher: HandlerListing where Next: HandlerListing {
    func hasHandler(for message: ObjectIdentifier) -> Bool { next.hasHandler(for: message) }
}

/// Middleware sees the messages that are dispatched, and not the updates of a query.
extension MiddlewareDispatcher: LiveDispatcher {
    func isLive<Q: Query>(_ query: Q.Type) -> Bool {
        (middleware as? any LiveMiddleware)?.isLive(query) == true
            || (next as? any LiveDispatcher)?.isLive(query) == true
    }

    func updates<Q: Query>(of query: Q) -> QueryUpdates<Q.Value>? where Q.Value: Sendable {
        (middleware as? any LiveMiddleware)?.updates(of: query, next: next)
            ?? (next as? any LiveDispatcher)?.updates(of: query)
    }
}

extension MiddlewareDispatcher: ValidatingDispatcher {
    var withoutValidation: any Dispatcher {
        let next = next.withoutValidation
        return middleware is ValidationMiddleware ? next : wrap(next, in: middleware)
    }
}
