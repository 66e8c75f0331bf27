import Duet

/// What takes the queries of one type out of the process, as an object, so that a look-up hands out one reference.
final class QueryCarrier<Q: Query>: Sendable {
    private let exchange: Result<any QueryExchange<Q>, any Error>

    /// - Parameter exchange: How queries are sent, or why they cannot be.
    init(_ exchange: Result<any QueryExchange<Q>, any Error>) {
        self.exchange = exchange
    }

    func send(_ query: Q) async throws -> Q.Value {
        try await exchange.get().send(query)
    }
}

/// Has queries answered.
///
/// The carrier goes through it because its query is not known there to be an ``HTTPQuery``.
protocol QueryExchange<Message>: Sendable {
    associatedtype Message: Query

    func send(_ query: Message) async throws -> Message.Value
}
