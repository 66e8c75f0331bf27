/// Builds the list of an API's messages, one per line, with `if`, `for` and nested lists.
@resultBuilder
public enum HTTPAPIBuilder {
    /// Adds a command.
    public static func buildExpression<C: HTTPCommand>(_ command: C.Type) -> [HTTPEndpoint] {
        [HTTPEndpoint(command)]
    }

    /// Adds a query.
    public static func buildExpression<Q: HTTPQuery>(_ query: Q.Type) -> [HTTPEndpoint] {
        [HTTPEndpoint(query)]
    }

    /// Adds an endpoint with settings for this API.
    public static func buildExpression(_ endpoint: HTTPEndpoint) -> [HTTPEndpoint] {
        [endpoint]
    }

    /// Adds a list of endpoints.
    public static func buildExpression(_ endpoints: [HTTPEndpoint]) -> [HTTPEndpoint] {
        endpoints
    }

    /// Explains in a compiler error that a type is not an HTTP message.
    @available(*, unavailable, message: "This type is not an HTTP message. Conform it to HTTPCommand or HTTPQuery.")
    public static func buildExpression<Message>(_ message: Message.Type) -> [HTTPEndpoint] {
        []
    }

    /// Combines the lines of a block.
    public static func buildBlock(_ endpoints: [HTTPEndpoint]...) -> [HTTPEndpoint] {
        endpoints.flatMap(\.self)
    }

    /// Supports `if` without `else`.
    public static func buildOptional(_ endpoints: [HTTPEndpoint]?) -> [HTTPEndpoint] {
        endpoints ?? []
    }

    /// Supports the first branch of `if` and `switch`.
    public static func buildEither(first endpoints: [HTTPEndpoint]) -> [HTTPEndpoint] {
        endpoints
    }

    /// Supports the other branch of `if` and `switch`.
    public static func buildEither(second endpoints: [HTTPEndpoint]) -> [HTTPEndpoint] {
        endpoints
    }

    /// Supports `for` loops.
    public static func buildArray(_ endpoints: [[HTTPEndpoint]]) -> [HTTPEndpoint] {
        endpoints.flatMap(\.self)
    }
}
