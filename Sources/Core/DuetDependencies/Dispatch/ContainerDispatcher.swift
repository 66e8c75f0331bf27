import Duet

/// Dispatches each message to its handler, which is resolved in the scope.
struct ContainerDispatcher: Dispatcher {
    private let routes: TypeTable
    private let scope: Scope

    init(_ scope: Scope) {
        routes = scope.container.routes
        self.scope = scope
    }

    @inline(__always)
    func dispatch<M: Message>(_ message: M) async throws -> M.Value {
        guard let object = unsafe routes.unretained(ObjectIdentifier(M.self)) else {
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
}

extension ContainerDispatcher: HandlerListing {
    func hasHandler(for message: ObjectIdentifier) -> Bool { routes[message] != nil }
}

extension ContainerCore {
    func dispatcher(in scope: Scope) -> any Dispatcher {
        ContainerDispatcher(scope).with(blueprint.middleware.map { $0.layer(scope) })
    }
}

/// Creates the standard dispatcher of a scope.
struct DispatcherMaker: Maker {
    var dependencies: [Dependency] { [] }

    func make(in scope: Scope) async throws -> any Dispatcher {
        switch scope.role {
        case .singletons: SingletonsDispatcher(container: scope.container)
        // A message that a handler dispatches gets its own scope, beside the scope of the handler's dispatch.
        case .container, .own, .dispatch: scope.container.dispatcher(in: scope.home)
        }
    }
}

/// The dispatcher that singletons resolve.
///
/// The container keeps the singletons, so they must not keep the container.
private struct SingletonsDispatcher: Dispatcher {
    weak let container: ContainerCore?

    func dispatch<M: Message>(_ message: M) async throws -> M.Value {
        guard let container else { throw ResolutionError(path: [M.messageName], reason: .scopeEnded) }
        return try await container.dispatcher(in: Scope(of: container)).dispatch(message)
    }
}
