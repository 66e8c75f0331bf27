public import Duet

/// A rule of a cache: ``Cache``, ``Invalidate`` or ``OptimisticUpdate``.
public struct CacheRule: Sendable, CustomStringConvertible {
    struct AnyCache {
        let query: ObjectIdentifier
        let queryName: String
        let hasWeight: Bool
        let isStored: Bool
        let hasTags: Bool
        let isTracked: Bool
        let grace: Double
        let faults: [String]
        let makeQuery: @Sendable (_ index: Int, _ core: CacheCore) -> (any AnyCachedQuery, any AnyObject & Sendable)
    }

    enum Kind {
        case cache(AnyCache)
        case invalidate(Invalidate)
        case update(OptimisticUpdate)
    }

    let kind: Kind

    /// The rule in words.
    public let description: String

    var messages: [(id: ObjectIdentifier, name: String)] {
        switch kind {
        case .cache(let rule): [(rule.query, rule.queryName)]
        case .invalidate(let rule): rule.commands.map { ($0.id, $0.name) } + [rule.query].compactMap(\.self)
        case .update(let rule): [rule.query, rule.command]
        }
    }
}

extension CacheRule {
    init<Q>(_ rule: Cache<Q>) {
        kind = .cache(
            AnyCache(
                query: ObjectIdentifier(Q.self),
                queryName: Q.messageName,
                hasWeight: rule.weight != nil,
                isStored: rule.coding != nil,
                hasTags: rule.hasTags,
                isTracked: rule.policy.isTracked,
                grace: rule.policy.limits.grace,
                faults: rule.policy.faults
            ) { index, core in
                let query = CachedQuery(rule, index: index, core)
                return (query, CacheRoute<Q>(query))
            }
        )
        description = rule.description
    }

    init(_ rule: Invalidate) {
        kind = .invalidate(rule)
        description = rule.description
    }

    init(_ rule: OptimisticUpdate) {
        kind = .update(rule)
        description = rule.description
    }
}

extension ListBuilder where Element == CacheRule {
    /// Adds the rule that values of a query are cached.
    public static func buildExpression<Q>(_ rule: Cache<Q>) -> [CacheRule] { [CacheRule(rule)] }

    /// Adds the rule that commands make cached values stale.
    public static func buildExpression(_ rule: Invalidate) -> [CacheRule] { [CacheRule(rule)] }

    /// Adds the rule that observers see the change of a command before it has ended.
    public static func buildExpression(_ rule: OptimisticUpdate) -> [CacheRule] { [CacheRule(rule)] }

    /// Refuses a rule of a queue.
    @available(*, unavailable, message: "Put Enqueue before the cache: .queueing(in: queue) { … }.caching(in: …) { … }")
    public static func buildExpression<C>(_ rule: Enqueue<C>) -> [CacheRule] { [] }
}
