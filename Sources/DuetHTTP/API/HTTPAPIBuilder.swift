/// Lets the messages of an API be listed one a line, with `if`, `for` and lists made elsewhere.
@resultBuilder
public enum HTTPAPIBuilder {
    /// A command on a line of its own.
    public static func buildExpression<C: HTTPCommand>(_ command: C.Type) -> [HTTPEndpoint] {
        [HTTPEndpoint(command)]
    }

    /// A query on a line of its own.
    public static func buildExpression<Q: HTTPQuery>(_ query: Q.Type) -> [HTTPEndpoint] {
        [HTTPEndpoint(query)]
    }

    /// A message with something set for this API.
    public static func buildExpression(_ endpoint: HTTPEndpoint) -> [HTTPEndpoint] {
        [endpoint]
    }

    /// Messages that were listed elsewhere.
    public static func buildExpression(_ endpoints: [HTTPEndpoint]) -> [HTTPEndpoint] {
        endpoints
    }

    /// No message: says what is missing, where the compiler would only say that nothing fits.
    @available(*, unavailable, message: "This type is no HTTP message. Conform it to HTTPCommand or HTTPQuery.")
    public static func buildExpression<Message>(_ message: Message.Type) -> [HTTPEndpoint] {
        []
    }

    /// The lines of a block, in order.
    public static func buildBlock(_ endpoints: [HTTPEndpoint]...) -> [HTTPEndpoint] {
        endpoints.flatMap(\.self)
    }

    /// An `if` without `else`.
    public static func buildOptional(_ endpoints: [HTTPEndpoint]?) -> [HTTPEndpoint] {
        endpoints ?? []
    }

    /// The first branch of an `if` or `switch`.
    public static func buildEither(first endpoints: [HTTPEndpoint]) -> [HTTPEndpoint] {
        endpoints
    }

    /// The other branch of an `if` or `switch`.
    public static func buildEither(second endpoints: [HTTPEndpoint]) -> [HTTPEndpoint] {
        endpoints
    }

    /// The rounds of a `for` loop.
    public static func buildArray(_ endpoints: [[HTTPEndpoint]]) -> [HTTPEndpoint] {
        endpoints.flatMap(\.self)
    }
}
