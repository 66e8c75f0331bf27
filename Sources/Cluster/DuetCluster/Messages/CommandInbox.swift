/// Gives each command one effect, although a cluster may deliver it again.
///
/// A handler claims its command in the transaction that changes its state, so that both happen or neither does. It does
/// not claim a command that changes nothing: each repeat may have another key, and all of them would be stored.
/// `SQLiteCommandInbox` in `DuetSQLite` is the inbox of databases that use GRDB. For another database, insert the
/// identifier into a table whose key it is.
public protocol CommandInbox<Transaction>: Sendable {
    /// A transaction of the database that also has the state.
    associatedtype Transaction

    /// Stores an identifier, and returns whether it is new.
    ///
    /// - Throws: The error of the database.
    func claim(_ id: String, in transaction: Transaction) throws -> Bool
}

extension CommandInbox {
    /// Stores an identifier, and returns whether it is new; true for a command without one.
    ///
    /// - Parameters:
    ///   - id: `IdempotencyKey.current(for:)`, read before the transaction begins; nil for a command that was
    ///     dispatched in this process without a key.
    ///   - transaction: The transaction that changes the state.
    /// - Throws: The error of the database.
    public func claim(_ id: String?, in transaction: Transaction) throws -> Bool {
        guard let id else { return true }
        return try claim(id, in: transaction)
    }
}
