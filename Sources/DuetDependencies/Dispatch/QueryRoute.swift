import Duet
import Synchronization

/// The way of one query to its handler, which is resolved on the way.
final class QueryRoute<Q: Query>: Sendable {
    private let handling: any QueryHandling<Q>
    private let singleton = AtomicLazyReference<QueryBox<Q>>()

    init(_ handling: any QueryHandling<Q>) {
        self.handling = handling
    }

    /// The handler, when it is a singleton and has been made.
    @inline(__always)
    var handler: QueryBox<Q>? { singleton.load() }

    func handle(_ query: Q, in scope: Scope) async throws -> Q.Value {
        guard scope.isPlain else { return try await handling.handle(query, in: scope) }
        if let handler = try await handling.singleton(in: scope) {
            return try await singleton.storeIfNil(handler).handle(query)
        }
        return try await handling.handle(query, in: scope)
    }
}

/// Resolves the handler of a query and has it answer.
protocol QueryHandling<Message>: Sendable {
    associatedtype Message: Query

    /// The handler, made or made before, if it is a singleton.
    func singleton(in scope: Scope) async throws -> QueryBox<Message>?

    func handle(_ query: Message, in scope: Scope) async throws -> Message.Value
}

/// Resolves a handler of type `H`, in a scope for this dispatch if anything that it needs is scoped.
struct ResolvedQueryHandling<H: QueryHandler>: QueryHandling {
    let provider: Provider<H>
    let needsScope: Bool

    func singleton(in scope: Scope) async throws -> QueryBox<H.Message>? {
        guard let singleton = provider.singleton else { return nil }
        let value = try await singleton.sendableValue(in: scope) as? any QueryBoxable
        return value?.queryBox() as? QueryBox<H.Message>
    }

    func handle(_ query: H.Message, in scope: Scope) async throws -> H.Message.Value {
        guard needsScope || !scope.isPlain else {
            return try await provider.value(in: scope).handle(query)
        }
        let scope = Scope(.dispatch, in: scope)
        do {
            let handler: H = try await scope.resolve()
            let value = try await handler.handle(query)
            await scope.dispose()
            return value
        } catch {
            await scope.dispose()
            throw error
        }
    }
}

/// A value that may be a query's handler, and then can be boxed as one.
private protocol QueryBoxable: Sendable {
    func queryBox() -> any AnyObject & Sendable
}

extension SendableValue: QueryBoxable where Value: QueryHandler {
    fileprivate func queryBox() -> any AnyObject & Sendable { QueryBox<Value.Message>(value) }
}
