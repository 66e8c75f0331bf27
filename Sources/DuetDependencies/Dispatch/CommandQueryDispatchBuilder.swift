public import Duet

/// Registers the dispatcher and its handlers with the names of Lambdaspire.
public struct CommandQueryDispatchBuilder {
    let builder: ContainerBuilder

    /// Registers the standard dispatcher as `any Dispatcher`, with handlers that are resolved per dispatch.
    ///
    /// A registered handler keeps its lifetime. A `@Resolvable` handler that is not registered is transient. Each
    /// dispatch runs in its own scope, which ends with the dispatch. Further calls, for example by other modules, add
    /// handlers and middleware to the same dispatcher.
    ///
    /// - Parameters:
    ///   - commandHandlers: The types of command handlers.
    ///   - queryHandlers: The types of query handlers.
    ///   - middleware: Layers around each dispatch, the first one outermost.
    ///   - fileID: The file of the list, which errors name.
    ///   - line: The line of the list, which errors name.
    public func standard(
        commandHandlers: [any CommandHandler.Type] = [],
        queryHandlers: [any QueryHandler.Type] = [],
        middleware: [any Middleware] = [],
        fileID: String = #fileID,
        line: Int = #line
    ) {
        let location = SourceLocation(fileID: fileID, line: line)
        let handlers: [any Handler.Type] = commandHandlers + queryHandlers
        builder.add(handlers.map { HandlerDraft($0, location) }, middleware, location)
    }
}

/// A handler as it was listed for the dispatcher.
struct HandlerDraft: Sendable {
    let kind: DependencyGraph.Route.Kind
    let message: ObjectIdentifier
    let messageName: String
    let handler: DependencyKey
    let location: SourceLocation
    /// The transient registration of a `Resolvable` handler, used if the handler is not registered; nil for other
    /// handlers.
    let registration: Registration?
    /// Creates the `MessageRoute` of the message from a `Provider` of the handler.
    let makeRoute: @Sendable (_ provider: any AnyObject & Sendable, _ needsScope: Bool) -> any AnyObject & Sendable
}

extension HandlerDraft {
    init<H: Handler>(_ handler: H.Type, _ location: SourceLocation) {
        kind = H.Message.self is any Command.Type ? .command : .query
        message = ObjectIdentifier(H.Message.self)
        messageName = H.Message.messageName
        self.handler = DependencyKey(handler)
        self.location = location
        registration = (handler as? any Resolvable.Type).map { Registration(resolvable: $0, location) }
        makeRoute = { provider, needsScope in
            // The caller passes the provider that is registered for the handler's type.
            let provider = unsafe unsafeDowncast(provider, to: Provider<H>.self)
            let resolved = ResolvedHandling(provider: provider, needsScope: needsScope)
            guard let source = provider.source as? any SelfMakingSource,
                let handling = (H.self as? any (Handler & Resolvable).Type)?.route(source.name, needsScope, resolved)
            else { return MessageRoute(resolved, handler: H.self) }
            return handling
        }
    }
}

extension Handler where Self: Resolvable {
    /// Returns the route to a handler that creates itself.
    ///
    /// - Parameter resolved: Serves scopes that override the handler.
    fileprivate static func route(
        _ name: String,
        _ needsScope: Bool,
        _ resolved: any AnyObject & Sendable
    ) -> (any AnyObject & Sendable)? {
        (resolved as? ResolvedHandling<Self>).map {
            needsScope
                ? MessageRoute(ScopedHandling<Self>(name: name, overridden: $0), handler: Self.self)
                : MessageRoute(TransientHandling<Self>(name: name, overridden: $0), handler: Self.self)
        }
    }
}

extension Registration {
    fileprivate init<R: Resolvable>(resolvable type: R.Type, _ location: SourceLocation) {
        self.init(transient: ResolvableMaker<R>(), DependencyKey(type), location)
    }
}
