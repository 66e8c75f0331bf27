import Duet

/// How a cache handles messages of one type.
final class CacheRoute<M: Message>: Sendable {
    let handling: any CacheHandling<M>

    init(_ handling: any CacheHandling<M>) {
        self.handling = handling
    }
}

protocol CacheHandling<Message>: Sendable {
    associatedtype Message: Duet.Message

    /// Returns a fresh value from memory; nil if there is none.
    func hit(_ message: Message) -> Message.Value?

    /// Handles a message for which ``hit(_:)`` returned nil.
    func dispatch(_ message: Message, next: some Dispatcher, in cache: QueryCache) async throws -> Message.Value
}

/// Serves a query from its line.
struct QueryHandling<Q: Query & Hashable>: CacheHandling where Q.Value: Sendable {
    private let line: Line<Q>

    init(_ line: Line<Q>) {
        self.line = line
    }

    func hit(_ query: Q) -> Q.Value? { line.hit(query) }

    func dispatch(_ query: Q, next: some Dispatcher, in cache: QueryCache) async throws -> Q.Value {
        try await line.result(query, .cacheFirst, from: next).value
    }
}

/// Carries out the rules of a command after its dispatch.
struct CommandHandling<C: Command>: CacheHandling {
    func hit(_ command: C) -> Void? { nil }

    func dispatch(_ command: C, next: some Dispatcher, in cache: QueryCache) async throws {
        do {
            try await next.dispatch(command)
        } catch {
            // A failed or canceled command may have done its work.
            cache.invalidate(after: command)
            await cache.waitForRemovals()
            throw error
        }
        cache.invalidate(after: command)
        await cache.waitForRemovals()
    }
}
