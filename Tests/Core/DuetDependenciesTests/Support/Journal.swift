import DuetDependencies
import Synchronization

/// Records events in order.
final class Journal: Sendable {
    private let lines = Mutex<[String]>([])

    var entries: [String] { lines.withLock(\.self) }

    func note(_ line: String) {
        lines.withLock { $0.append(line) }
    }
}

/// Records its creation and disposal.
final class Resource: Disposable {
    let name: String
    private let journal: Journal

    init(_ name: String, _ journal: Journal) {
        self.name = name
        self.journal = journal
        journal.note("make \(name)")
    }

    func dispose() async {
        journal.note(Task.isCancelled ? "dispose \(name), canceled" : "dispose \(name)")
    }
}
