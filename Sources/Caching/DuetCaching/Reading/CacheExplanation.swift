public import Duet

/// An explanation of how a cache would read a query, and why.
public struct CacheExplanation: Sendable, CustomStringConvertible {
    /// Where a read would get the value.
    public enum Source: String, Sendable {
        /// The query has no ``Cache`` rule.
        case notCached
        /// A fresh value in memory.
        case memory
        /// A stale value in memory, which is served while a new one is loaded.
        case staleMemory
        /// A value in the store, which is fresh, or is served while a new one is loaded.
        case store
        /// The handler.
        case handler
    }

    /// The name of the query.
    public let query: String

    /// Where a read would get the value now.
    public let source: Source

    /// The age of the value in memory or in the store, or nil.
    public let age: Duration?

    /// The time until the cached value becomes stale.
    ///
    /// It is negative for a stale value, and nil for no value and for one that stays fresh.
    public let remaining: Duration?

    /// Whether the cached value was invalidated.
    public let isInvalidated: Bool

    /// Data from tracked sources that the value was made from, each with the number of writes since the cache was
    /// created.
    public let data: [String]

    /// The rules that concern the query.
    public let rules: [CacheRule]

    /// The explanation as a few lines.
    public var description: String {
        var lines = ["\(query) would come from \(source.text)."]
        if let age { lines.append("- The cached value is \(age.text) old.") }
        if isInvalidated { lines.append("- It was invalidated.") }
        if let remaining, !isInvalidated {
            lines.append(
                remaining < .zero
                    ? "- It expired \((.zero - remaining).text) ago." : "- It expires in \(remaining.text)."
            )
        }
        return (lines + (data + rules.map(\.description)).map { "- \($0)." }).joined(separator: "\n")
    }
}

extension QueryCache {
    /// Explains how the cache would read a query, and why.
    ///
    /// ```swift
    /// print(await dispatcher.cache.explain(ListNotes(folder: "home")))
    /// ```
    public func explain<Q: Query & Hashable>(_ query: Q) async -> CacheExplanation where Q.Value: Sendable {
        let cached = cached(Q.self)
        let rules = rules(concerning: ObjectIdentifier(Q.self), hasTags: cached?.rule.hasTags ?? false)
        guard let cached else {
            return CacheExplanation(
                query: Q.messageName,
                source: .notCached,
                age: nil,
                remaining: nil,
                isInvalidated: false,
                data: [],
                rules: rules
            )
        }
        let key = ScopedQuery(query: query, scope: cached.rule.scope.current)
        var found = cached.find(query, key.scope, at: core.seconds)
        var source = found?.freshness.source ?? .handler
        if found == nil, let stored = await cached.findInStore(key) {
            found = stored
            source = stored.freshness.isUsableWhileRevalidating ? .store : .handler
        }
        return cached.explanation(of: found?.entry, from: source, rules)
    }
}

extension QueryCache {
    /// Explains how the cache would read each value in memory, and why, for a page about the cache.
    ///
    /// The explanations are in the order of the rules, and those of one query in the order of their ages. Neither a
    /// query nor its value is part of them, because it may be secret.
    ///
    /// - Parameter limit: The largest number of explanations for one query, which are those of its newest values.
    public func explanations(limit: Int = 100) -> [CacheExplanation] {
        queries.flatMap { $0.explanations(limit: limit) { rules(concerning: $0, hasTags: $1) } }
    }

    fileprivate func rules(concerning query: ObjectIdentifier, hasTags: Bool) -> [CacheRule] {
        rules.filter { $0.concerns(query, hasTags: hasTags) }
    }
}

extension CachedQuery {
    func explanations(limit: Int, rules: (_ query: ObjectIdentifier, _ hasTags: Bool) -> [CacheRule])
        -> [CacheExplanation]
    {
        var found: [Found] = []
        let now = core.seconds
        entries.forEach { found.append(self.found($0, at: now)) }
        guard !found.isEmpty else { return [] }
        let rules = rules(ObjectIdentifier(Q.self), rule.hasTags)
        return found.sorted { $0.entry.loaded > $1.entry.loaded }.prefix(max(0, limit)).map { found in
            explanation(of: found.entry, from: found.freshness.source, rules)
        }
    }

    fileprivate func explanation(
        of entry: Entry<Q>?,
        from source: CacheExplanation.Source,
        _ rules: [CacheRule]
    ) -> CacheExplanation {
        let now = core.seconds
        return CacheExplanation(
            query: name,
            source: source,
            age: entry.map { .seconds(max(0, now - $0.loaded)) },
            remaining: entry.flatMap { $0.expires < .infinity ? .seconds($0.expires - now) : nil },
            isInvalidated: entry.map(isInvalidated) ?? false,
            data: core.data.explanations(of: entry?.tags ?? []),
            rules: rules
        )
    }
}

extension CacheExplanation.Source {
    fileprivate var text: String {
        switch self {
        case .notCached: "its handler, because no rule caches it"
        case .memory: "memory"
        case .staleMemory: "memory, and would be loaded again because it is stale"
        case .store: "the store"
        case .handler: "its handler"
        }
    }
}

extension Freshness {
    fileprivate var source: CacheExplanation.Source {
        isFresh ? .memory : isUsableWhileRevalidating ? .staleMemory : .handler
    }
}

extension CacheRule {
    /// Whether the rule may change what happens to a query.
    ///
    /// A rule with tags may concern all queries that have some.
    fileprivate func concerns(_ query: ObjectIdentifier, hasTags: Bool) -> Bool {
        switch kind {
        case .cache(let rule): rule.query == query
        case .invalidate(let rule): rule.query.map { $0.id == query } ?? (!rule.usesTags || hasTags)
        case .update(let rule): rule.query.id == query
        }
    }
}
