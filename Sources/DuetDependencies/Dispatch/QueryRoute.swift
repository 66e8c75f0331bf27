import Duet

/// The way of one query to its handler, which is resolved on the way.
final class QueryRoute<Q: Query>: Sendable {
    let handling: any QueryHandling<Q>
    /// The handler, when it is a singleton and has been made.
    let singleton = Published<QueryBox<Q>>()

    init(_ handling: any QueryHandling<Q>) {
        self.handling = handling
    }
}

/// Resolves the handler of a query and has it answer.
protocol QueryHandling<Message>: AnyObject, Sendable {
    associatedtype Message: Query

    func handle(_ query: Message, in scope: Scope, on route: QueryRoute<Message>) async throws -> Message.Value
}
