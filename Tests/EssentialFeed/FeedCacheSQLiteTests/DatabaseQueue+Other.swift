import Foundation
import GRDB

extension DatabaseQueue {
    /// Opens another connection to the store's database, which waits while the store writes.
    static func other(at url: URL) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        // Some tests stay in a transaction on purpose.
        configuration.allowsUnsafeTransactions = true
        return try DatabaseQueue(path: url.path, configuration: configuration)
    }
}
