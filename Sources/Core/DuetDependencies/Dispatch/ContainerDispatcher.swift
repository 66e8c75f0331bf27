import Duet

/// Passes each message to its handler, which is resolved in the scope.
struct ContainerDispatcher: Dispatcher {
    let scope: Scope

    @inline(__always)
    func dispatch<M: Message>(_ message: M) async throws -> M.Value {
        guard !scope.hasEnded else { throw ResolutionError(path: [M.messageName], reason: .scopeEnded) }
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
        return scope.home.messageDispatcher
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
        return try await scope.messageDispatcher.dispatch(message)
    }
}
