import Synchronization

/// A point in the history of one cache, counted in invalidations.
///
/// A value has the version at which the cache found it valid, or began to load it. It contains the changes of all
/// commands that have led to this version, or to an earlier one. The versions of two caches cannot be compared.
package struct CacheVersion: Hashable, Sendable {
    /// Identifies the cache for as long as it exists.
    package let cache: UInt64

    /// The number of invalidations.
    package let number: Int

    package init(cache: UInt64, number: Int) {
        self.cache = cache
        self.number = number
    }

    package init?(_ text: String) {
        guard text.utf8.count <= 36, let separator = text.firstIndex(of: "-"),
            let cache = UInt64(text[..<separator], radix: 16), let number = Int(text[separator...].dropFirst()),
            number >= 0
        else { return nil }
        self.init(cache: cache, number: number)
    }

    /// The version for a header field, or a field of an event.
    package var text: String { "\(String(cache, radix: 16))-\(number)" }

    /// Whether a value of this version contains what has led to another one.
    package func includes(_ other: CacheVersion) -> Bool { cache == other.cache && number >= other.number }

    /// Whether another version of the same cache is a later one.
    package func isOlder(than other: CacheVersion?) -> Bool {
        other.map { cache == $0.cache && number < $0.number } ?? false
    }
}

extension CacheVersion? {
    /// Takes a version, unless this one includes it.
    package mutating func advance(to version: CacheVersion) { if self?.includes(version) != true { self = version } }
}

/// The version that a command leads to in the cache that handles it, for those who have sent the command.
///
/// A command returns nothing, so the version takes this way back.
package final class CommandVersion: Sendable {
    /// The version of the command that this task sends or handles.
    @TaskLocal package static var current: CommandVersion?

    private struct State {
        var value: CacheVersion?
        var isTakenOver = false
    }

    /// The rules that the sender carries out when the command has ended.
    private let rules: (any Sendable)?
    private let outer = CommandVersion.current
    private let state = Mutex(State())

    /// - Parameter rules: The rules that a queue carries out in place of the sender, because it returns earlier.
    package init(offering rules: (any Sendable)? = nil) {
        self.rules = rules
    }

    /// The version, or nil if no cache has handled the command.
    package var value: CacheVersion? { state.withLock(\.value) }

    /// Whether a queue has taken over the rules of the sender.
    package var isTakenOver: Bool { state.withLock(\.isTakenOver) }

    /// Runs the dispatch of a command, and returns the version that it has led to.
    @discardableResult
    package func reached(
        isolation: isolated (any Actor)? = #isolation,
        by dispatch: () async throws -> Void
    ) async throws -> CacheVersion? {
        try await Self.$current.withValue(self, operation: dispatch)
        return value
    }

    /// Notes a version, of those of one cache the highest.
    package func note(_ version: CacheVersion?) {
        state.withLock { if version?.isOlder(than: $0.value) != true { $0.value = version } }
    }

    /// Takes over some of the rules of the current task's senders, the innermost first.
    package func takeOver<Rules>(_ select: (any Sendable) -> Rules?) -> [Rules] {
        let own = rules.flatMap(select)
        if own != nil { state.withLock { $0.isTakenOver = true } }
        return (own.map { [$0] } ?? []) + (outer?.takeOver(select) ?? [])
    }
}
