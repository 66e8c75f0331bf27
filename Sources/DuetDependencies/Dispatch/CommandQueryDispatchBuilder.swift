public import Duet

/// Registers the dispatcher, and which handlers it takes messages to.
public struct CommandQueryDispatchBuilder {
    let builder: ContainerBuilder

    /// Registers the standard dispatcher as `any CommandQueryDispatcher`, with handlers that are resolved per dispatch.
    ///
    /// A handler that was registered has the lifetime that it was registered with; a `@Resolvable` one that was not is made
    /// anew for each message. Each dispatch runs in a scope of its own, which ends with the dispatch. Calling this again, as
    /// several modules do, adds handlers and middleware to the one dispatcher.
    ///
    /// - Parameters:
    ///   - commandHandlers: The types of the handlers of commands.
    ///   - queryHandlers: The types of the handlers of queries.
    ///   - middleware: What wraps each dispatch, the first one outermost.
    public func standard(
        commandHandlers: [any CommandHandler.Type] = [],
        queryHandlers: [any QueryHandler.Type] = [],
        middleware: [any Middleware] = [],
        fileID: String = #fileID,
        line: Int = #line
    ) {
        let location = SourceLocation(fileID: fileID, line: line)
        let commands = commandHandlers.map { HandlerDraft(command: $0, location) }
        let queries = queryHandlers.map { HandlerDraft(query: $0, location) }
        builder.add(commands + queries, middleware, location)
    }
}

extension HandlerDraft {
    fileprivate init<H: CommandHandler>(command handler: H.Type, _ location: SourceLocation) {
        kind = .command
        message = ObjectIdentifier(H.Message.self)
        messageName = H.Message.messageName
        self.handler = DependencyKey(handler)
        self.location = location
        registration = (handler as? any Resolvable.Type).map { Registration(resolvable: $0, location) }
        makeRoute = { provider, needsScope in
            // The provider is the one that is registered for the handler's type.
            let provider = unsafe unsafeDowncast(provider, to: Provider<H>.self)
            if !needsScope, let source = provider.source as? any SelfMakingSource,
                let handler = H.self as? any (CommandHandler & Resolvable).Type
            {
                return commandRoute(to: handler, named: source.name, provider)
            }
            return CommandRoute(ResolvedCommandHandling(provider: provider, needsScope: needsScope))
        }
    }

    fileprivate init<H: QueryHandler>(query handler: H.Type, _ location: SourceLocation) {
        kind = .query
        message = ObjectIdentifier(H.Message.self)
        messageName = H.Message.messageName
        self.handler = DependencyKey(handler)
        self.location = location
        registration = (handler as? any Resolvable.Type).map { Registration(resolvable: $0, location) }
        makeRoute = { provider, needsScope in
            // The provider is the one that is registered for the handler's type.
            let provider = unsafe unsafeDowncast(provider, to: Provider<H>.self)
            if !needsScope, let source = provider.source as? any SelfMakingSource,
                let handler = H.self as? any (QueryHandler & Resolvable).Type
            {
                return queryRoute(to: handler, named: source.name, provider)
            }
            return QueryRoute(ResolvedQueryHandling(provider: provider, needsScope: needsScope))
        }
    }
}

/// The route to a handler that makes itself, which is the one that the provider is of.
private func commandRoute<H: CommandHandler & Resolvable>(
    to handler: H.Type,
    named name: String,
    _ provider: any AnyObject & Sendable
) -> any AnyObject & Sendable {
    let provider = unsafe unsafeDowncast(provider, to: Provider<H>.self)
    let resolved = ResolvedCommandHandling(provider: provider, needsScope: false)
    return CommandRoute(TransientCommandHandling<H>(name: name, overridden: resolved))
}

/// The route to a handler that makes itself, which is the one that the provider is of.
private func queryRoute<H: QueryHandler & Resolvable>(
    to handler: H.Type,
    named name: String,
    _ provider: any AnyObject & Sendable
) -> any AnyObject & Sendable {
    let provider = unsafe unsafeDowncast(provider, to: Provider<H>.self)
    let resolved = ResolvedQueryHandling(provider: provider, needsScope: false)
    return QueryRoute(TransientQueryHandling<H>(name: name, overridden: resolved))
}

extension Registration {
    fileprivate init<R: Resolvable>(resolvable type: R.Type, _ location: SourceLocation) {
        self.init(transient: ResolvableMaker<R>(), DependencyKey(type), location)
    }
}
