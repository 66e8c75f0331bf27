import Synchronization

/// Records events in order.
final class Journal: Sendable {
    private let lines = Mutex<[String]>([])

    var entries: [String] { lines.withLock { $0 } }

    func write(_ line: String) {
        lines.withLock { $0.append(line) }
    }
}
