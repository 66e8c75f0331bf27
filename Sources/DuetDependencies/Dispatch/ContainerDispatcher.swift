import Duet

/// Takes each message to its handler, which is resolved for it in a scope of its own.
struct ContainerDispatcher: CommandQueryDispatcher {
    private let commands: TypeTable
    private let queries: TypeTable
    private let scope: Scope

    init(_ scope: Scope) {
        commands = scope.container.commandRoutes
        queries = scope.container.queryRoutes
        self.scope = scope
    }

    @inline(__always)
    func dispatch<C: Command>(_ command: C) async throws {
        guard let object = unsafe commands.lent(ObjectIdentifier(C.self)) else {
            throw DispatchError.handlerNotFound(message: C.messageName)
        }
        // The table files a route under the type of its own message, so the route found here is a `CommandRoute<C>`.
        let route = unsafe unsafeDowncast(object.takeUnretainedValue(), to: CommandRoute<C>.self)
        guard !scope.hasEnded else { throw ResolutionError(path: [C.messageName], reason: .scopeEnded) }
        // The box's own `handle` would be one more asynchronous call: across modules it is not inlined.
        if scope.isPlain, let box = route.singleton.object { return try await box.handler.handle(command) }
        try await route.handling.handle(command, in: scope, on: route)
    }

    @inline(__always)
    func dispatch<Q: Query>(_ query: Q) async throws -> Q.Value {
        guard let object = unsafe queries.lent(ObjectIdentifier(Q.self)) else {
            throw DispatchError.handlerNotFound(message: Q.messageName)
        }
        // The table files a route under the type of its own message, so the route found here is a `QueryRoute<Q>`.
        let route = unsafe unsafeDowncast(object.takeUnretainedValue(), to: QueryRoute<Q>.self)
        guard !scope.hasEnded else { throw ResolutionError(path: [Q.messageName], reason: .scopeEnded) }
        // The box's own `handle` would be one more asynchronous call: across modules it is not inlined.
        if scope.isPlain, let box = route.singleton.object { return try await box.handler.handle(query) }
        return try await route.handling.handle(query, in: scope, on: route)
    }
}

extension ContainerDispatcher: HandlerListing {
    func hasHandler(for message: ObjectIdentifier) -> Bool { commands[message] != nil || queries[message] != nil }
}
