/// A handler together with the message that it handles, as a dispatcher keeps it.
public struct HandlerRegistration: Sendable {
    let message: ObjectIdentifier
    let messageName: String
    let handlerName: String
    let box: any HandlerBox

    /// Registers a handler for its command.
    public init<H: CommandHandler & Sendable>(_ handler: H) {
        message = ObjectIdentifier(H.Message.self)
        messageName = H.Message.messageName
        handlerName = qualifiedName(of: H.self)
        box = CommandBox<H.Message>(handler)
    }

    /// Registers a handler for its query.
    public init<H: QueryHandler & Sendable>(_ handler: H) {
        message = ObjectIdentifier(H.Message.self)
        messageName = H.Message.messageName
        handlerName = qualifiedName(of: H.self)
        box = QueryBox<H.Message>(handler)
    }
}
