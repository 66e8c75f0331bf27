import Synchronization

/// Counts how often something was tried.
final class Tries: Sendable {
    private let number = Mutex(0)

    var count: Int { number.withLock { $0 } }

    /// The number of this try; the first is 1.
    @discardableResult
    func next() -> Int {
        number.withLock { number in
            number += 1
            return number
        }
    }
}
