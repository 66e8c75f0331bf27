public import Duet

/// The rule that values of a query are cached.
///
/// ```swift
/// Cache(LoadFeed.self, .maxAge(.days(7)).staleWhileRevalidate(.minutes(5)))
/// Cache(LoadProfile.self, .maxAge(.hours(1)), tags: { ["user:\($0.userID)"] })
/// ```
public struct Cache: Sendable {
    /// The rule with the types of the query and its value.
    struct Settings<Q: Query & Hashable>: Sendable where Q.Value: Sendable {
        let policy: CachePolicy<Q.Value>
        let scope: CacheScope
        let tags: @Sendable (Q) -> [String]
        let weight: (@Sendable (Q.Value) -> Int)?
        let refresh: (@Sendable (Q, _ stored: Q.Value, _ next: any Dispatcher) async throws -> Q.Value?)?
    }

    let query: ObjectIdentifier
    let queryName: String
    let hasWeight: Bool
    let faults: [String]
    let makeLine: @Sendable (_ index: Int, _ core: CacheCore) -> (any AnyLine, any AnyObject & Sendable)
    /// The rule in words.
    public let description: String

    /// Caches the values of a query.
    ///
    /// - Parameters:
    ///   - query: The type of the query. Equal queries have the same value.
    ///   - policy: Decides how long a value is used.
    ///   - scope: The callers that share a value; by default, each principal has its own.
    ///   - tags: Returns the tags by which ``Invalidate`` finds a value.
    ///   - weight: Returns the weight of a value, usually its size in bytes, for ``MemoryLimit/weight(_:)``.
    ///   - refresh: Loads a value again, given the stored one; nil if the stored one is still right. It is called in place
    ///     of the handler, and can ask `next` for what it needs.
    public init<Q: Query & Hashable>(
        _ query: Q.Type,
        _ policy: CachePolicy<Q.Value>,
        scope: CacheScope = .principal,
        tags: @escaping @Sendable (Q) -> [String] = { _ in [] },
        weight: (@Sendable (Q.Value) -> Int)? = nil,
        refresh: (@Sendable (Q, _ stored: Q.Value, _ next: any Dispatcher) async throws -> Q.Value?)? = nil
    ) where Q.Value: Sendable {
        let settings = Settings<Q>(policy: policy, scope: scope, tags: tags, weight: weight, refresh: refresh)
        self.query = ObjectIdentifier(query)
        queryName = Q.messageName
        hasWeight = weight != nil
        faults = policy.faults
        description = "\(Q.messageName) is cached: \(policy)"
        makeLine = { index, core in
            let line = Line(settings, index: index, core)
            return (line, CacheRoute<Q>(QueryHandling(line)))
        }
    }
}

extension Cache: CustomStringConvertible {}
