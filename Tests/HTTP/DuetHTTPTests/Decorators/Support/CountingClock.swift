import DuetTesting
import Synchronization

/// A clock that does not move, and counts its sleepers.
final class CountingClock: Clock, Sendable {
    private let base = ManualClock()
    private let count = Mutex(0)

    var sleepers: Int { count.withLock { $0 } }
    var now: ManualClock.Instant { base.now }
    var minimumResolution: Duration { base.minimumResolution }

    func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
        count.withLock { $0 += 1 }
        try await base.sleep(until: deadline, tolerance: tolerance)
    }
}
