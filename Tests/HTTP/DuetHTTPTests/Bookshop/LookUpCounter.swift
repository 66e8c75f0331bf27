import Synchronization

/// Counts how often the static requirements of a message's type are read.
final class LookUpCounter: Sendable {
    /// The counter of the test that runs in this task.
    @TaskLocal static var current: LookUpCounter?

    private let total = Mutex(0)

    var lookUps: Int { total.withLock(\.self) }

    func count() {
        total.withLock { $0 += 1 }
    }
}
