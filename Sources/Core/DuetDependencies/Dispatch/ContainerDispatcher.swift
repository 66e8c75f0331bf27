import Duet

/// Passes each message through the container's layers to its handler, which is resolved in the scope.
///
/// It is as small as a reference and a number, so creating one for each scope and each layer costs nothing. The layers
/// exist before it does.
struct ContainerDispatcher: Dispatcher {
    let scope: Scope
    /// The number of layers outside of this dispatcher.
    var depth = 0

    private var next: ContainerDispatcher { ContainerDispatcher(scope: scope, depth: depth + 1) }

    /// The next layer; nil if only the handler is left.
    private var layer: (any Middleware)? {
        scope.container.layers.read { [depth] in depth < $0.value.count ? $0.value[depth] : nil } ?? nil
    }

    @inline(__always)
    func dispatch<M: Message>(_ message: M) async throws -> M.Value {
        guard !scope.hasEnded else { throw ResolutionError(path: [M.messageName], reason: .scopeEnded) }
        if depth < scope.container.layerCount { return try await dispatchToLayer(message) }
        // The scope keeps the container, so that the table need not be retained.
        let container = unsafe Unmanaged.passUnretained(scope.container)
        let object = unsafe container._withUnsafeGuaranteedRef { unsafe $0.routes.unretained(ObjectIdentifier(M.self)) }
        guard let object = unsafe object else {
            throw DispatchError.handlerNotFound(message: M.messageName)
        }
        // The table stores each route under the type of its message, so the route found here is a `MessageRoute<M>`. It
        // is not retained for a handler that exists.
        let existing = unsafe object._withUnsafeGuaranteedRef { route in
            unsafe unsafeDowncast(route, to: MessageRoute<M>.self).existingHandler(in: scope)
        }
        // The box's own `handle` is not inlined across modules and would be one more asynchronous call.
        if let existing { return try await existing.handler.handle(message) }
        let route = unsafe unsafeDowncast(object.takeUnretainedValue(), to: MessageRoute<M>.self)
        if route.isCommand, HandlerBoundaries.areUsed {
            return try await HandlerBoundaries.enter(M.self) {
                try await route.handling.handle(message, in: scope, on: route)
            }
        }
        return try await route.handling.handle(message, in: scope, on: route)
    }

    // Not inlined: a dispatch without layers would cost a twentieth more.
    @inline(never)
    private func dispatchToLayer<M: Message>(_ message: M) async throws -> M.Value {
        // The layers exist before a dispatcher does.
        guard let layer else { throw DispatchError.handlerNotFound(message: M.messageName) }
        return try await layer.dispatch(message, next: next)
    }

    func isLive<Q: Query>(_ query: Q.Type) -> Bool {
        layer?.isLive(query, next: next) ?? false
    }

    func updates<Q: Query>(of query: Q) -> QueryStates<Q.Value>? where Q.Value: Sendable {
        layer?.updates(of: query, next: next)
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
        case .container, .own: try await scope.container.makeLayers(in: scope)
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
        let scope = Scope(of: container)
        try await container.makeLayers(in: scope)
        return try await ContainerDispatcher(scope: scope).dispatch(message)
    }
}
