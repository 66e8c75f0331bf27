import DuetSQLite
import Synchronization

/// Records the losses of a store.
final class Losses: Sendable {
    private let losses = Mutex<[SQLiteHTTPCacheLoss]>([])

    var all: [SQLiteHTTPCacheLoss] { losses.withLock { $0 } }

    @Sendable func add(_ loss: SQLiteHTTPCacheLoss) {
        losses.withLock { $0.append(loss) }
    }
}
