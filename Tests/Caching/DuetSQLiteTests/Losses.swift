import DuetSQLite
import Synchronization

extension SQLiteStoreLoss {
    /// Whether a database was renamed.
    var isOfDatabase: Bool { if case .database = self { true } else { false } }
}

/// Records the losses of a store.
final class Losses: Sendable {
    private let losses = Mutex<[SQLiteStoreLoss]>([])

    var all: [SQLiteStoreLoss] { losses.withLock { $0 } }

    @Sendable func add(_ loss: SQLiteStoreLoss) {
        losses.withLock { $0.append(loss) }
    }
}
