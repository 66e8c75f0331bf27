import GRDB

extension DatabaseQueue {
    /// Opens a database beside the store, and waits while the store writes.
    static func other(at path: String) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.busyMode = .timeout(3_600)
        // Some tests stay in a transaction on purpose.
        configuration.allowsUnsafeTransactions = true
        return try DatabaseQueue(path: path, configuration: configuration)
    }
}
