public import Duet

/// What a cache would do with a query, and why.
public struct CacheExplanation: Sendable {
    /// Where a read would get the value.
    public enum Source: String, Sendable {
        /// The query has no ``Cache`` rule.
        case notCached
        /// A fresh value is in memory.
        case memory
        /// A stale value is in memory, and would be served while a new one is loaded.
        case staleMemory
        /// The handler.
        case handler
    }

    /// The name of the query.
    public let query: String

    /// Where a read would get the value now.
    public let source: Source

    /// The age of the value in memory; nil if there is none.
    public let age: Duration?

    /// The time until the value in memory is stale; negative after that, and nil if there is none or it stays fresh.
    public let remaining: Duration?

    /// Whether the value in memory was invalidated.
    public let isInvalidated: Bool

    /// The rules that concern the query.
    public let rules: [CacheRule]
}

extension CacheExplanation: CustomStringConvertible {
    /// The explanation as a few lines.
    public var description: String {
        var lines = ["\(query) would come from: \(source.rawValue)"]
        if let age { lines.append("- The value in memory is \(age) old.") }
        if isInvalidated { lines.append("- It was invalidated.") }
        if let remaining {
            lines.append(remaining < .zero ? "- It expired \(.zero - remaining) ago." : "- It expires in \(remaining).")
        }
        return (lines + rules.map { "- \($0)." }).joined(separator: "\n")
    }
}

extension QueryCache {
    /// Returns what the cache would do with a query, and why.
    public func explain<Q: Query & Hashable>(_ query: Q) -> CacheExplanation where Q.Value: Sendable {
        let rules = rules.filter { $0.concerns(ObjectIdentifier(Q.self)) }
        let now = core.seconds
        guard let line = line(of: Q.self) else {
            return CacheExplanation(
                query: Q.messageName,
                source: .notCached,
                age: nil,
                remaining: nil,
                isInvalidated: false,
                rules: rules
            )
        }
        let found = line.find(query, line.rule.scope.current, at: now)
        let entry = found?.entry
        return CacheExplanation(
            query: Q.messageName,
            source: found.map { $0.freshness.source } ?? .handler,
            age: entry.map { .seconds(max(0, now - $0.loaded)) },
            remaining: entry.flatMap { $0.expires < .infinity ? .seconds($0.expires - now) : nil },
            isInvalidated: entry.map(line.isInvalidated) ?? false,
            rules: rules
        )
    }
}

extension Freshness {
    fileprivate var source: CacheExplanation.Source {
        isFresh ? .memory : isUsableWhileRevalidating ? .staleMemory : .handler
    }
}

extension CacheRule {
    /// Whether the rule may change what happens to a query. A rule with tags may concern all.
    fileprivate func concerns(_ query: ObjectIdentifier) -> Bool {
        switch kind {
        case .cache(let rule): rule.query == query
        case .invalidate(let rule): rule.query == nil || rule.query?.id == query
        }
    }
}
