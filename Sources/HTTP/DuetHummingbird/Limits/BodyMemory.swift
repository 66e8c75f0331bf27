import Synchronization

/// The memory that the bodies of a server's requests use at the same time.
final class BodyMemory: Sendable {
    /// The limit in bytes.
    let limit: Int

    private let used = Mutex(0)

    init(limit: Int) {
        self.limit = limit
    }

    /// Takes memory for bytes, and returns whether there was enough.
    func take(_ count: Int) -> Bool {
        used.withLock { used in
            guard count <= limit - used else { return false }
            used += count
            return true
        }
    }

    /// Returns the memory of bytes that are not used anymore.
    func release(_ count: Int) {
        used.withLock { $0 -= count }
    }
}
