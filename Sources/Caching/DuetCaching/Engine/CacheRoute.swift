import Duet

/// A reference to the part of a cache that handles messages of one type.
final class CacheRoute<M: Message>: Sendable {
    let handling: any CacheHandling<M>

    init(_ handling: any CacheHandling<M>) {
        self.handling = handling
    }
}

protocol CacheHandling<Message>: AnyObject, Sendable {
    associatedtype Message: Duet.Message

    /// Returns the entry of a fresh value in memory, or nil.
    ///
    /// It is not an optional value, because unspecialized generic code creates optionals slowly.
    func hit(_ message: Message) -> AnyObject?

    /// Returns the value of an entry that ``hit(_:)`` returned.
    func value(of entry: AnyObject) -> Message.Value

    /// Returns the updates of a query's value, as `QueryStates` of that value; nil for a command.
    func updates(of message: Message, from next: any Dispatcher) -> (any Sendable)?

    /// Handles a query in the mode of a read.
    func read(_ message: Message, _ reading: Reading, next: some Dispatcher, in cache: QueryCache) async throws
        -> Message.Value

    /// Handles a message for which ``hit(_:)`` returned nil.
    func dispatch(_ message: Message, next: some Dispatcher, in cache: QueryCache) async throws -> Message.Value
}

extension CachedQuery: CacheHandling {
    @inline(__always)
    func value(of entry: AnyObject) -> Value {
        // The table of this query contains only such entries.
        unsafe unsafeDowncast(entry, to: Entry<Q>.self).value
    }

    func read(_ query: Q, _ reading: Reading, next: some Dispatcher, in cache: QueryCache) async throws -> Q.Value {
        let (barrier, mode) = (cache.core.barrier, reading.mode)
        return try await reading.read {
            if mode.kind != .cacheOnly, barrier.isNeeded { try await barrier.pass(for: name) }
            let result = try await result(query, mode.kind, from: next)
            return mode.includesUnconfirmed ? withUnconfirmedChanges(result, of: query) : result
        }
    }

    func dispatch(_ query: Q, next: some Dispatcher, in cache: QueryCache) async throws -> Q.Value {
        try await result(query, .cacheFirst, from: next).value
    }
}

/// A command has no value, so each of them is dispatched.
extension CacheHandling where Message: Command {
    func hit(_ command: Message) -> AnyObject? { nil }

    func value(of entry: AnyObject) {}

    func updates(of command: Message, from next: any Dispatcher) -> (any Sendable)? { nil }

    func read(_ command: Message, _ reading: Reading, next: some Dispatcher, in cache: QueryCache) async throws {
        try await dispatch(command, next: next, in: cache)
    }
}
