package import Duet

package struct RuleViolation: Sendable {
    /// The query, with its properties.
    package let query: String
    /// The type of the query, as written in a rule.
    package let queryType: String
    /// Whether the value changes without a command, so that no rule is to blame.
    package let isUnstable: Bool
}

extension CachingDispatcher {
    /// Runs a command, and returns the cached queries that it changed although no rule covers them.
    ///
    /// The handler of each query that has a value in memory for this task's scope is called twice before and once after
    /// the command. A value that each read loads again, because its maximum age is zero, needs no rule.
    package func violations<C: Command>(of command: C) async throws -> [RuleViolation] {
        var checks: [RuleCheck] = []
        for query in cache.queries { checks += await query.checks(with: base) }
        if let queueing = base.wrapped(QueueingDispatcher.self), queueing.isQueued(C.self) {
            // It would be sent after its dispatch.
            try await CommandHandling<C>().dispatch(command, next: queueing.base, in: cache)
        } else {
            try await dispatch(command)
        }
        var violations: [RuleViolation] = []
        for check in checks where await check.isViolated() { violations.append(check.violation) }
        return violations
    }
}

/// Compares the value of one cached query before and after a command.
struct RuleCheck {
    let violation: RuleViolation
    let isViolated: @Sendable () async -> Bool
}

extension CachedQuery {
    func checks(with handler: any Dispatcher) async -> [RuleCheck] {
        let scope = rule.scope.current
        var cached: [Entry<Q>] = []
        entries.forEach { if $0.scope == scope, isServed($0), !isInvalidated($0) { cached.append($0) } }
        var checks: [RuleCheck] = []
        for entry in cached {
            let load = { @Sendable in await ComparedValue { try await handler.dispatch(entry.query) } }
            let before = await load()
            let isUnstable = await load() != before
            let violation = RuleViolation(
                query: String(reflecting: entry.query),
                queryType: "\(Q.self)",
                isUnstable: isUnstable
            )
            checks.append(
                RuleCheck(violation: violation) { [self] in
                    if isUnstable { return true }
                    guard let current = find(entry.query, scope, at: core.seconds)?.entry, !isInvalidated(current)
                    else {
                        return false
                    }
                    // An observer may have loaded the value again after the command.
                    let after = await load()
                    return after != before && after != ComparedValue(value: current.value)
                }
            )
        }
        return checks
    }

    /// Whether a value is returned by any read that does not fail to load it again.
    private func isServed(_ entry: Entry<Q>) -> Bool {
        entry.expires > entry.loaded || limits.staleWhileRevalidate > 0
    }
}

/// A value, or nil for an error.
private struct ComparedValue<Value: Sendable>: Equatable, Sendable {
    let value: Value?

    init(value: Value) { self.value = value }

    init(_ body: () async throws -> Value) async { value = try? await body() }

    static func == (lhs: ComparedValue, rhs: ComparedValue) -> Bool {
        switch (lhs.value, rhs.value) {
        case (nil, nil): true
        case (let lhs?, let rhs?): areEqual(lhs, rhs) ?? (String(reflecting: lhs) == String(reflecting: rhs))
        default: false
        }
    }
}
