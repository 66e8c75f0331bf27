import Synchronization

/// The actions so far, in order.
final class Journal: Sendable {
    private let lines = Mutex<[String]>([])

    var entries: [String] { lines.withLock(\.self) }

    func write(_ line: String) {
        lines.withLock { $0.append(line) }
    }
}
