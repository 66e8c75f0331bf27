import Duet

/// Passes each message through the container's layers to its handler, which is resolved in the scope.
///
/// It is as small as a reference and a number, so creating one for each scope and each layer costs nothing.
struct ContainerDispatcher: Dispatcher {
    let scope: Scope
    /// The number of layers outside of this dispatcher.
    var depth = 0

    private var next: ContainerDispatcher { ContainerDispatcher(scope: scope, depth: depth + 1) }

    /// The next layer; nil if only the handler is left.
    private var layer: (any ContainerLayer)? {
        let layers = scope.container.layers
        return depth < layers.count ? layers[depth] : nil
    }

    @inline(__always)
    func dispatch<M: Message>(_ message: M) async throws -> M.Value {
        if let layer { return try await layer.dispatch(message, in: scope, next: next) }
        guard let object = unsafe scope.container.routes.unretained(ObjectIdentifier(M.self)) else {
            throw DispatchError.handlerNotFound(message: M.messageName)
        }
        // The table stores each route under the type of its message, so the route found here is a `MessageRoute<M>`.
        let route = unsafe unsafeDowncast(object.takeUnretainedValue(), to: MessageRoute<M>.self)
        guard !scope.hasEnded else { throw ResolutionError(path: [M.messageName], reason: .scopeEnded) }
        if route.isCommand, let boundary = HandlerBoundaries.current {
            return try await boundary.enter(M.self) { try await route.handling.handle(message, in: scope, on: route) }
        }
        // The box's own `handle` is not inlined across modules and would be one more asynchronous call.
        if !scope.overrides(route.handler), let box = route.singleton.object {
            return try await box.handler.handle(message)
        }
        return try await route.handling.handle(message, in: scope, on: route)
    }

    func isLive<Q: Query>(_ query: Q.Type) -> Bool {
        layer?.isLive(query, in: scope, next: next) ?? false
    }

    func updates<Q: Query>(of query: Q) -> QueryStates<Q.Value>? where Q.Value: Sendable {
        layer?.updates(of: query, in: scope, next: next)
    }
}

extension ContainerDispatcher: HandlerListing {
    func hasHandler(for message: ObjectIdentifier) -> Bool { scope.container.routes[message] != nil }
}

struct DispatcherMaker: Maker {
    var dependencies: [ResolvedDependency] { [] }

    func make(in scope: Scope) async throws -> any Dispatcher {
        switch scope.role {
        // A layer may resolve it, so it cannot wait for the layers.
        case .singletons: return SingletonsDispatcher(container: scope.container)
        case .container, .own: for layer in scope.container.layers { try await layer.prepare(in: scope) }
        case .dispatch: break
        }
        // A message that a handler dispatches gets its own scope, beside the scope of the handler's dispatch.
        return ContainerDispatcher(scope: scope.home)
    }
}

/// The dispatcher that singletons resolve.
///
/// The container keeps the singletons, so they must not keep the container.
private struct SingletonsDispatcher: Dispatcher {
    weak let container: ContainerCore?

    func dispatch<M: Message>(_ message: M) async throws -> M.Value {
        guard let container else { throw ResolutionError(path: [M.messageName], reason: .scopeEnded) }
        return try await ContainerDispatcher(scope: Scope(of: container)).dispatch(message)
    }
}
