/// What the handler table keeps: an object, so that the look-up hands out one reference and copies no handler.
protocol HandlerBox: AnyObject, Sendable {}

final class CommandBox<C: Command>: HandlerBox {
    let handler: any CommandHandler<C> & Sendable

    init(_ handler: any CommandHandler<C> & Sendable) {
        self.handler = handler
    }
}

final class QueryBox<Q: Query>: HandlerBox {
    let handler: any QueryHandler<Q> & Sendable

    init(_ handler: any QueryHandler<Q> & Sendable) {
        self.handler = handler
    }
}
