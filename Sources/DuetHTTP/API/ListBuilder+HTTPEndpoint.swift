public import Duet

extension ListBuilder where Element == HTTPEndpoint {
    /// Adds a command.
    public static func buildExpression<C: HTTPCommand>(_ command: C.Type) -> [HTTPEndpoint] {
        [HTTPEndpoint(command)]
    }

    /// Adds a query.
    public static func buildExpression<Q: HTTPQuery>(_ query: Q.Type) -> [HTTPEndpoint] {
        [HTTPEndpoint(query)]
    }

    /// Explains in a compiler error that a type is not an HTTP message.
    @available(*, unavailable, message: "This type is not an HTTP message. Conform it to HTTPCommand or HTTPQuery.")
    public static func buildExpression<Message>(_ message: Message.Type) -> [HTTPEndpoint] { [] }
}
