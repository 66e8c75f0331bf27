/// Middleware that reports how the values of queries change, such as a cache.
///
/// A dispatcher with such a layer is a ``LiveDispatcher``. The outermost layer that reports a query is used.
public protocol LiveMiddleware: Middleware {
    /// Whether the changes of a query's values are reported.
    func isLive<Q: Query>(_ query: Q.Type) -> Bool

    /// Returns the current value of a query, and then its changes; nil if they are not reported.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - next: The layers further in, then the handler.
    func updates<Q: Query>(of query: Q, next: any Dispatcher) -> QueryUpdates<Q.Value>? where Q.Value: Sendable
}
