import Duet

/// The loads that the current task works for, the innermost first.
final class LoadChain: Sendable {
    @TaskLocal static var current: LoadChain?

    private let line: ObjectIdentifier
    private let key: any Sendable
    private let outer: LoadChain?

    init<Q>(_ line: Line<Q>, _ key: ScopedQuery<Q>, outer: LoadChain?) {
        self.line = ObjectIdentifier(line)
        self.key = key
        self.outer = outer
    }

    func contains<Q>(_ line: Line<Q>, _ key: ScopedQuery<Q>) -> Bool {
        if self.line == ObjectIdentifier(line), self.key as? ScopedQuery<Q> == key { return true }
        return outer?.contains(line, key) ?? false
    }
}
