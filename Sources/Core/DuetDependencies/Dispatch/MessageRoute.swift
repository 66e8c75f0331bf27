import Duet

final class MessageRoute<M: Message>: Sendable {
    let handling: any MessageHandling<M>
    let isCommand = M.self is any Command.Type
    let handler: ObjectIdentifier
    /// The handler, if it is a singleton that has been created.
    let singleton = OnceSetReference<HandlerBox<M>>()

    /// The singleton, unless it has to be created, replaced, or called within a boundary.
    @inline(__always)
    func existingHandler(in scope: Scope) -> HandlerBox<M>? {
        scope.overrides(handler) || isCommand && HandlerBoundaries.areUsed ? nil : singleton.object
    }

    init(_ handling: any MessageHandling<M>, handler: any Any.Type) {
        self.handling = handling
        self.handler = ObjectIdentifier(handler)
    }
}

protocol MessageHandling<Message>: AnyObject, Sendable {
    associatedtype Message: Duet.Message

    func handle(_ message: Message, in scope: Scope, on route: MessageRoute<Message>) async throws -> Message.Value
}

/// Resolves a handler of type `H`, in the scope of the dispatch if any of its dependencies is scoped.
final class ResolvedHandling<H: Handler>: MessageHandling {
    private let provider: Provider<H>
    private let singleton: (any SingletonHandlerSource<H.Message>)?
    private let needsScope: Bool

    init(provider: Provider<H>, needsScope: Bool) {
        self.provider = provider
        singleton = provider.source as? any SingletonHandlerSource<H.Message>
        self.needsScope = needsScope
    }

    func handle(
        _ message: H.Message,
        in scope: Scope,
        on route: MessageRoute<H.Message>
    ) async throws -> H.Message.Value {
        if needsScope {
            let scope = Scope(in: scope, as: .dispatch)
            do {
                let value = try await scope.resolve(H.self).handle(message)
                try await scope.complete()
                return value
            } catch {
                await scope.dispose()
                throw error
            }
        }
        // An overridden handler is created in the scope that overrides it, not in the scope of the dispatch.
        guard !scope.overrides(route.handler) else { return try await scope.resolve(H.self).handle(message) }
        if let box = route.singleton.object { return try await box.handler.handle(message) }
        if let singleton {
            return try await route.singleton.publish(singleton.box(in: scope)).handle(message)
        }
        return try await provider.value(in: scope).handle(message)
    }
}

protocol SingletonHandlerSource<Message>: Sendable {
    associatedtype Message: Duet.Message

    func box(in scope: Scope) async throws -> HandlerBox<Message>
}

extension SingletonSource: SingletonHandlerSource where Value: Handler {
    func box(in scope: Scope) async throws -> HandlerBox<Value.Message> { HandlerBox(try await value(in: scope)) }
}

/// Creates a `Resolvable` handler for each message, in the scope of the dispatch if any of its dependencies is scoped.
final class MakingHandling<H: Handler & Resolvable>: MessageHandling {
    private let name: String
    private let needsScope: Bool

    init(name: String, needsScope: Bool) {
        self.name = name
        self.needsScope = needsScope
    }

    // Inlined: otherwise the protocol's requirement and this method would be two asynchronous calls.
    @inline(__always)
    func handle(
        _ message: H.Message,
        in scope: Scope,
        on route: MessageRoute<H.Message>
    ) async throws -> H.Message.Value {
        let isOverridden = scope.overrides(route.handler)
        let scope = needsScope ? Scope(in: scope, as: .dispatch) : scope
        // One `do` for both steps avoids moving the handler. Only an error of the handler's initializer gets a path.
        var isMade = isOverridden
        do {
            let handler = isOverridden ? try await scope.resolve(H.self) : try await H(from: scope)
            isMade = true
            let value = try await handler.handle(message)
            if needsScope { try await scope.complete() }
            return value
        } catch {
            if needsScope { await scope.dispose() }
            throw isMade ? error : ResolutionError.wrap(error, in: name)
        }
    }
}
