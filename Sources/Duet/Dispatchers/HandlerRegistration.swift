/// A handler and its message, as a dispatcher stores them.
public struct HandlerRegistration: Sendable {
    let message: ObjectIdentifier
    let messageName: String
    let handlerName: String
    /// A `HandlerBox` of the message.
    let box: any AnyObject & Sendable

    /// Registers a handler for its message.
    public init<H: Handler & Sendable>(_ handler: H) {
        message = ObjectIdentifier(H.Message.self)
        messageName = H.Message.messageName
        handlerName = qualifiedName(of: H.self)
        box = HandlerBox<H.Message>(handler)
    }
}

/// A handler as an object: a lookup returns one reference and copies no handler.
package final class HandlerBox<M: Message>: Sendable {
    package let handler: any Handler<M> & Sendable

    package init(_ handler: any Handler<M> & Sendable) {
        self.handler = handler
    }

    @inline(__always)
    package func handle(_ message: M) async throws -> M.Value {
        try await handler.handle(message)
    }
}

/// Lists the handlers of a dispatcher, one per line, with support for `if`, `for`, and existing lists.
@resultBuilder
public enum HandlerBuilder {
    /// Registers one handler.
    public static func buildExpression(_ handler: some Handler & Sendable) -> [HandlerRegistration] {
        [HandlerRegistration(handler)]
    }

    /// Adds handlers from an existing list.
    public static func buildExpression(_ handlers: [HandlerRegistration]) -> [HandlerRegistration] {
        handlers
    }

    /// Explains in a compiler error that a value is not a handler.
    @available(
        *,
        unavailable,
        message: "This value is not a handler. Conform its type to CommandHandler or QueryHandler."
    )
    public static func buildExpression<Value>(_ value: Value) -> [HandlerRegistration] {
        []
    }

    /// Explains in a compiler error that a handler is optional.
    @available(*, unavailable, message: "This value is optional. Unwrap it, as in 'if let handler { handler }'.")
    public static func buildExpression<Value>(_ value: Value?) -> [HandlerRegistration] {
        []
    }

    /// Explains in a compiler error that a type is not a handler.
    @available(*, unavailable, message: "This is a type. Create a handler, as in 'LoadFeedHandler()'.")
    public static func buildExpression<Value>(_ type: Value.Type) -> [HandlerRegistration] {
        []
    }

    /// Joins the lines of a block, in order.
    public static func buildBlock(_ handlers: [HandlerRegistration]...) -> [HandlerRegistration] {
        handlers.flatMap(\.self)
    }

    /// Adds the handlers of an `if` without `else`.
    public static func buildOptional(_ handlers: [HandlerRegistration]?) -> [HandlerRegistration] {
        handlers ?? []
    }

    /// Adds the handlers of the first branch of an `if` or `switch`.
    public static func buildEither(first handlers: [HandlerRegistration]) -> [HandlerRegistration] {
        handlers
    }

    /// Adds the handlers of the other branch of an `if` or `switch`.
    public static func buildEither(second handlers: [HandlerRegistration]) -> [HandlerRegistration] {
        handlers
    }

    /// Joins the handlers of each iteration of a `for` loop.
    public static func buildArray(_ handlers: [[HandlerRegistration]]) -> [HandlerRegistration] {
        handlers.flatMap(\.self)
    }
}
