import Duet

/// Passes each message through the container's layers to its ``ContainerDispatcher``.
struct LayeredDispatcher: Dispatcher {
    let scope: Scope
    /// The number of layers outside of this dispatcher.
    var depth = 0

    private var layer: (any Middleware)? { scope.container.layers.read { [depth] in $0.value[depth] } }

    private var inner: LayeredDispatcher? {
        depth + 1 < scope.container.layerCount ? LayeredDispatcher(scope: scope, depth: depth + 1) : nil
    }

    private var next: any Dispatcher { inner ?? ContainerDispatcher(scope: scope) }

    func dispatch<M: Message>(_ message: M) async throws -> M.Value {
        guard !scope.hasEnded else { throw ResolutionError(path: [M.messageName], reason: .scopeEnded) }
        guard let layer else { throw DispatchError.handlerNotFound(message: M.messageName) }
        guard let inner else { return try await layer.dispatch(message, next: ContainerDispatcher(scope: scope)) }
        return try await layer.dispatch(message, next: inner)
    }

    func isLive<Q: Query>(_ query: Q.Type) -> Bool { layer?.isLive(query, next: next) ?? false }

    func updates<Q: Query>(of query: Q) -> QueryStates<Q.Value>? where Q.Value: Sendable {
        layer?.updates(of: query, next: next)
    }
}

extension LayeredDispatcher: WrappingDispatcher {
    var base: any Dispatcher { next }

    func passage<Q: Query>(of query: Q.Type) -> ValuePassage { layer?.passage(of: query) ?? .changed }
}

extension LayeredDispatcher: HandlerListing {
    func hasHandler(for message: ObjectIdentifier) -> Bool { scope.container.routes[message] != nil }
}

extension Scope {
    /// The dispatcher of messages in this scope, after the layers were made.
    var messageDispatcher: any Dispatcher {
        container.layerCount == 0 ? ContainerDispatcher(scope: self) : LayeredDispatcher(scope: self)
    }
}
