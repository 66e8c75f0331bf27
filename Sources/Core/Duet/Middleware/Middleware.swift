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

    /// Whether the changes of a query's values are reported; by default if `next` reports them.
    func isLive<Q: Query>(_ query: Q.Type, next: some Dispatcher) -> Bool

    /// Returns the current value of a query, and then its changes; nil if they are not reported.
    ///
    /// By default, these are those of `next`. For each value, ``dispatch(_:next:)`` is called with a `next` that
    /// returns it, so that a layer that refuses or changes values does so for each of them. An error in place of a
    /// value ends the observation. For each failure of a load, it is called with a `next` that throws the error. It
    /// may then return a value, which an observer without another one sees.
    ///
    /// Implement this method for a layer that dispatches another query in place of this one, or reports changes itself.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - next: The layers further in, then the handler.
    func updates<Q: Query>(of query: Q, next: some Dispatcher) -> QueryStates<Q.Value>? where Q.Value: Sendable
}

/// Middleware that dispatches each query to `next` as it is, at most once with success, and returns its value
/// unchanged.
///
/// A server encodes the value of a query once for all who ask, if a cache keeps it, and every layer around that cache
/// is of this kind, as those of Duet are. Conform to it if that is true. Otherwise the server encodes each value that
/// the layer returns.
public protocol ValuePreservingMiddleware: Middleware {}

/// The way of the values of one query through a layer.
package enum ValuePassage {
    /// A cache keeps them.
    case kept
    /// Values come out as they came in.
    case preserved
    case changed
}

/// A layer whose treatment of values depends on the query.
package protocol ValuePassing: Middleware {
    func passage<Q: Query>(of query: Q.Type) -> ValuePassage
}

extension Middleware {
    /// Whether `next` reports the changes.
    public func isLive<Q: Query>(_ query: Q.Type, next: some Dispatcher) -> Bool { next.isLive(query) }

    /// The values of `next`, each of which passes through ``dispatch(_:next:)``.
    public func updates<Q: Query>(of query: Q, next: some Dispatcher) -> QueryStates<Q.Value>? where Q.Value: Sendable {
        next.updates(of: query)?.passing(through: self, query, before: next)
    }
}

extension Dispatcher {
    /// Returns this dispatcher wrapped in a layer, which sees each message before the layers so far.
    ///
    /// ```swift
    /// let reader = dispatcher.with(ReadOnly())
    /// ```
    public func with(_ middleware: some Middleware) -> some Dispatcher {
        MiddlewareDispatcher(middleware: middleware, next: self)
    }
}

private struct MiddlewareDispatcher<Layer: Middleware, Next: Dispatcher>: Dispatcher {
    let middleware: Layer
    let next: Next

    @inline(__always)
    func dispatch<M: Message>(_ message: M) async throws -> M.Value {
        try await middleware.dispatch(message, next: next)
    }

    func isLive<Q: Query>(_ query: Q.Type) -> Bool { middleware.isLive(query, next: next) }

    func updates<Q: Query>(of query: Q) -> QueryStates<Q.Value>? where Q.Value: Sendable {
        middleware.updates(of: query, next: next)
    }
}

extension MiddlewareDispatcher: WrappingDispatcher {
    var base: any Dispatcher { next }

    func passage<Q: Query>(of query: Q.Type) -> ValuePassage { middleware.passage(of: query) }
}

extension Middleware {
    /// The way of the values of a query through this layer.
    package func passage<Q: Query>(of query: Q.Type) -> ValuePassage {
        if let layer = self as? any ValuePassing { return layer.passage(of: query) }
        return self is any ValuePreservingMiddleware ? .preserved : .changed
    }
}

extension MiddlewareDispatcher: HandlerListing where Next: HandlerListing {
    func hasHandler(for message: ObjectIdentifier) -> Bool { next.hasHandler(for: message) }
}

// MARK: Updates

extension QueryStates {
    /// Returns the states with the values that a layer returns for them.
    func passing<Q: Query>(
        through layer: some Middleware,
        _ query: Q,
        before next: some Dispatcher
    ) -> QueryStates where Q.Value == Value {
        let caller = Caller.current
        return passing { outcome in
            try await caller.run {
                try await layer.dispatch(query, next: UpdateDispatcher<Q>(outcome: outcome, next: next))
            }
        }
    }
}

/// Answers with one value of an observed query, or with the error of a load.
private struct UpdateDispatcher<Q: Query>: Dispatcher where Q.Value: Sendable {
    let outcome: Result<Q.Value, any Error>
    /// Dispatches the messages that a layer sends in addition.
    let next: any Dispatcher

    var isUpdate: Bool { true }

    func dispatch<M: Message>(_ message: M) async throws -> M.Value {
        guard M.self == Q.self else { return try await next.dispatch(message) }
        // Both types were found to be the same, so their values are too.
        return unsafe unsafeBitCast(try outcome.get(), to: M.Value.self)
    }
}
