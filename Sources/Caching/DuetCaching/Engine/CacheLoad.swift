import Duet

/// The load of a cached query for which the current task runs.
///
/// A handler that saves its value elsewhere, for example in a database, can check whether the value is still valid:
///
/// ```swift
/// func handle(_ query: LoadFeed) async throws -> [String] {
///     let load = CacheLoad.current
///     let items = try await download()
///     try await database.transaction { feed in
///         guard load?.isInvalidated != true else { return }
///         feed = items
///     }
///     return items
/// }
/// ```
///
/// Read ``current`` in the task of the handler, and check it within the transaction. A command that deletes saved
/// values calls ``QueryCache/invalidate(_:)`` within its own transaction. A load then saves before the deletion, or not
/// at all.
public struct CacheLoad: Sendable {
    private let chain: LoadChain?

    /// The innermost load, also of a query that a server handles without a cache; nil outside of any.
    public static var current: CacheLoad? {
        let chain = LoadChain.current
        return chain != nil || DataUse.current?.isLoad == true ? CacheLoad(chain: chain) : nil
    }

    /// Whether the value was invalidated since its load began, or another load has replaced this one, so that it will
    /// not be stored.
    public var isInvalidated: Bool { chain?.isInvalidated() == true }

    /// Notes that the handler reads something that no source tracks, so that its value obeys only policy and rules.
    ///
    /// - Parameter name: A description for the developer.
    public func readUntracked(_ name: String) { DataUse.noteDoor(name) }
}
