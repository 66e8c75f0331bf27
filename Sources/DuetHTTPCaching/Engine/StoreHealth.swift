import Foundation

/// Whether a store works, and whether it may still hold responses that should have been removed.
///
/// A store is healthy again when it has not failed for a minute: a nearly full disk may accept a little now and then. A
/// store whose removal failed is not used until everything has been removed from it.
struct StoreHealth: Sendable {
    /// Seconds without a failure before recovery is reported.
    private static let quietTime = 60.0

    private var lastFailures: [HTTPCacheReport.StoreAction: Date] = [:]
    /// Counts the failed removals since everything was removed.
    private var failedRemovals = 0
    private var isRemoving = false

    var isHealthy: Bool { lastFailures.isEmpty && isEnabled }
    var isEnabled: Bool { failedRemovals == 0 }

    /// Whether the failure is to be reported, as the first one.
    mutating func fail(_ action: HTTPCacheReport.StoreAction, at now: Date) -> Bool {
        lastFailures.updateValue(now, forKey: action) == nil
    }

    /// Whether recovery is to be reported.
    mutating func succeed(_ action: HTTPCacheReport.StoreAction, at now: Date) -> Bool {
        // A clock may have been set back.
        guard let last = lastFailures[action], abs(now.timeIntervalSince(last)) >= Self.quietTime else { return false }
        lastFailures[action] = nil
        return true
    }

    mutating func failRemoval() { failedRemovals += 1 }

    /// Begins the removal of everything from a disabled store.
    ///
    /// - Returns: What to pass to ``endRemoval(_:succeeded:)``; nil while another removal is under way.
    mutating func beginRemoval() -> Int? {
        guard !isRemoving else { return nil }
        isRemoving = true
        return failedRemovals
    }

    /// Enables the store after everything was removed, unless another removal failed meanwhile.
    mutating func endRemoval(_ failures: Int, succeeded: Bool) {
        isRemoving = false
        if succeeded { removedAll(since: failures) }
    }

    /// How many removals have failed, for ``removedAll(since:)``.
    var removalFailures: Int { failedRemovals }

    mutating func removedAll(since failures: Int) {
        if failedRemovals == failures { failedRemovals = 0 }
    }
}
