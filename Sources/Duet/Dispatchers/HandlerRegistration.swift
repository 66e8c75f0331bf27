/// A handler together with the message that it handles, as a dispatcher keeps it.
public struct HandlerRegistration: Sendable {
    enum Kind {
        case command
        case query
    }

    let kind: Kind
    let message: ObjectIdentifier
    let messageName: String
    let handlerName: String
    /// A `CommandBox` or a `QueryBox` of the message, as `kind` says.
    let box: any AnyObject & Sendable

    /// Registers a handler for its command.
    public init<H: CommandHandler & Sendable>(_ handler: H) {
        kind = .command
        message = ObjectIdentifier(H.Message.self)
        messageName = H.Message.messageName
        handlerName = qualifiedName(of: H.self)
        box = CommandBox<H.Message>(handler)
    }

    /// Registers a handler for its query.
    public init<H: QueryHandler & Sendable>(_ handler: H) {
        kind = .query
        message = ObjectIdentifier(H.Message.self)
        messageName = H.Message.messageName
        handlerName = qualifiedName(of: H.self)
        box = QueryBox<H.Message>(handler)
    }
}
