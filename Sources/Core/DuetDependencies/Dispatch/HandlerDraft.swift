import Duet

struct HandlerDraft {
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
            let making = (provider.source as? any SelfMakingSource<H>)?.handling(needsScope)
            return MessageRoute(
                making ?? ResolvedHandling(provider: provider, needsScope: needsScope),
                handler: H.self
            )
        }
    }
}

/// A source of handlers that create themselves, so that a dispatch can bypass the source.
private protocol SelfMakingSource<Value>: Source where Value: Handler {
    func handling(_ needsScope: Bool) -> any MessageHandling<Value.Message>
}

extension TransientSource: SelfMakingSource where M: SelfMaker, M.Value: Handler {
    fileprivate func handling(_ needsScope: Bool) -> any MessageHandling<M.Value.Message> {
        MakingHandling<M.Value>(name: name, needsScope: needsScope)
    }
}

extension Registration {
    fileprivate init<R: Resolvable>(resolvable type: R.Type, _ location: SourceLocation) {
        self.init(transient: ResolvableMaker<R>(), location)
    }
}

// MARK: Forwarding

struct ForwardingHandler<Message: Duet.Message, Next: Dispatcher>: Handler, Resolvable {
    static var dependencies: [ResolvedDependency] { [ResolvedDependency(Next.self)] }

    private let next: Next

    init(from scope: Scope) async throws {
        next = try await scope.resolve()
    }

    func handle(_ message: Message) async throws -> Message.Value { try await next.dispatch(message) }
}

/// Opens the existential.
func forwarder<M: Message, Next: Dispatcher>(of message: M.Type, to next: Next.Type) -> any Handler.Type {
    ForwardingHandler<M, Next>.self
}
