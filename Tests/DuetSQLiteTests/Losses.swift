import DuetSQLite
import Synchronization

/// Remembers what a store says it lost.
final class Losses: Sendable {
    private let losses = Mutex<[SQLiteHTTPCacheLoss]>([])

    var all: [SQLiteHTTPCacheLoss] { losses.withLock { $0 } }

    @Sendable func add(_ loss: SQLiteHTTPCacheLoss) {
        losses.withLock { $0.append(loss) }
    }
}
