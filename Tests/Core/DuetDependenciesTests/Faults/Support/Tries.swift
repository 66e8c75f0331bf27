import Synchronization

/// Counts attempts.
final class Tries: Sendable {
    private let number = Mutex(0)

    var count: Int { number.withLock { $0 } }

    /// Returns the number of this attempt; the first is 1.
    @discardableResult
    func next() -> Int {
        number.withLock { number in
            number += 1
            return number
        }
    }
}
