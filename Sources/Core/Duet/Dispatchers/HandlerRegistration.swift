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
    package let isCommand = M.self is any Command.Type

    package init(_ handler: any Handler<M> & Sendable) {
        self.handler = handler
    }

    @inline(__always)
    package func handle(_ message: M) async throws -> M.Value {
        try await handler.handle(message)
    }
}

extension ListBuilder where Element == HandlerRegistration {
    /// Registers one handler.
    public static func buildExpression(_ handler: some Handler & Sendable) -> [HandlerRegistration] {
        [HandlerRegistration(handler)]
    }

    /// Explains in a compiler error that a value is not a handler.
    @available(
        *,
        unavailable,
        message: "This value is not a handler. Conform its type to CommandHandler or QueryHandler."
    )
    public static func buildExpression<Value>(_ value: Value) -> [HandlerRegistration] { [] }

    /// Explains in a compiler error that a handler is optional.
    @available(*, unavailable, message: "This value is optional. Unwrap it, as in 'if let handler { handler }'.")
    public static func buildExpression<Value>(_ value: Value?) -> [HandlerRegistration] { [] }

    /// Explains in a compiler error that a type is not a handler.
    @available(*, unavailable, message: "This is a type. Create a handler, as in 'LoadFeedHandler()'.")
    public static func buildExpression<Value>(_ type: Value.Type) -> [HandlerRegistration] { [] }
}
