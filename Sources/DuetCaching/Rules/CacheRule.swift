public import Duet

/// A rule of a cache: ``Cache`` or ``Invalidate``.
public struct CacheRule: Sendable, CustomStringConvertible {
    enum Kind: Sendable {
        case cache(Cache)
        case invalidate(Invalidate)
    }

    let kind: Kind

    /// The rule in words.
    public var description: String {
        switch kind {
        case .cache(let rule): rule.description
        case .invalidate(let rule): rule.description
        }
    }
}

extension ListBuilder where Element == CacheRule {
    /// Adds the rule that values of a query are cached.
    public static func buildExpression(_ rule: Cache) -> [CacheRule] { [CacheRule(kind: .cache(rule))] }

    /// Adds the rule that commands make cached values stale.
    public static func buildExpression(_ rule: Invalidate) -> [CacheRule] { [CacheRule(kind: .invalidate(rule))] }
}
