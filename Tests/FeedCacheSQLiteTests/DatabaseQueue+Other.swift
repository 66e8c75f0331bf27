import Foundation
import GRDB

extension DatabaseQueue {
    /// Opens a database beside the store, and waits where the store is at work.
    static func other(at url: URL) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        return try DatabaseQueue(path: url.path, configuration: configuration)
    }
}
