/// Lets a dispatcher's handlers be listed one a line, with `if`, `for` and lists made elsewhere.
@resultBuilder
public enum HandlerBuilder {
    /// A command's handler on a line of its own.
    public static func buildExpression(_ handler: some CommandHandler & Sendable) -> [HandlerRegistration] {
        [HandlerRegistration(handler)]
    }

    /// A query's handler on a line of its own.
    public static func buildExpression(_ handler: some QueryHandler & Sendable) -> [HandlerRegistration] {
        [HandlerRegistration(handler)]
    }

    /// Handlers that were listed elsewhere.
    public static func buildExpression(_ handlers: [HandlerRegistration]) -> [HandlerRegistration] {
        handlers
    }

    /// The lines of a block, in order.
    public static func buildBlock(_ handlers: [HandlerRegistration]...) -> [HandlerRegistration] {
        handlers.flatMap(\.self)
    }

    /// An `if` without `else`.
    public static func buildOptional(_ handlers: [HandlerRegistration]?) -> [HandlerRegistration] {
        handlers ?? []
    }

    /// The first branch of an `if` or `switch`.
    public static func buildEither(first handlers: [HandlerRegistration]) -> [HandlerRegistration] {
        handlers
    }

    /// The other branch of an `if` or `switch`.
    public static func buildEither(second handlers: [HandlerRegistration]) -> [HandlerRegistration] {
        handlers
    }

    /// The rounds of a `for` loop.
    public static func buildArray(_ handlers: [[HandlerRegistration]]) -> [HandlerRegistration] {
        handlers.flatMap(\.self)
    }
}
