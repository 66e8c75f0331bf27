/// The one place where a query is answered.
///
/// A handler that a dispatcher keeps is `Sendable`. A `@MainActor` class is, and repeats `@MainActor` on `handle(_:)`;
/// it returns `sending` where its value is not `Sendable`.
public protocol QueryHandler<Message>: SendableMetatype {
    /// The query that this handler answers.
    associatedtype Message: Query

    /// Answers the query and changes nothing.
    ///
    /// - Throws: Whatever kept it from being answered. The error reaches the caller of `dispatch` unchanged.
    func handle(_ query: Message) async throws -> Message.Value
}
