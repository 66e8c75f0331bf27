import Foundation
import GRDB

/// The statements on the tables of one kind of cache, within one access to the database.
///
/// Entries are numbered. The table `state` has one row, with the size of all entries and a counter that orders uses.
protocol CacheTables: SendableMetatype {
    associatedtype Limit: Sendable

    static var kind: DatabaseKind { get }

    /// The database, which is valid within the access.
    var database: Database { get }

    init(_ database: Database, _ limit: Limit)

    /// Prepares the tables of a file that is being opened, and throws an error if they are damaged.
    func open(isAlone: Bool) throws

    /// Records uses, the earliest first.
    func markUsed(_ ids: [Int64]) throws

    /// Returns whether the entries exceed the limits.
    func isTooLarge() throws -> Bool

    /// Returns the entry to remove next to make room, or nil without an entry.
    func nextToRemove() throws -> Int64?

    func remove(_ id: Int64) throws
}

extension CacheTables {
    /// Removes entries until the others fit.
    func trim() throws {
        var last: Int64?
        while try isTooLarge(), let id = try nextToRemove() {
            // A trigger of another program, for example, may keep it.
            guard id != last else { throw DatabaseError.damage("an entry stays") }
            try remove(id)
            last = id
        }
    }

    func next() throws -> Int64 {
        try stateValue("UPDATE state SET counter = counter + 1 RETURNING counter")
    }

    func size() throws -> Int64 {
        try stateValue("SELECT size FROM state")
    }

    // MARK: Statements

    func execute(_ sql: String, _ arguments: StatementArguments = []) throws {
        try database.cachedStatement(sql: sql).execute(arguments: arguments)
    }

    /// The values that `read` takes from each row, which is only valid within it and so needs no copy.
    func rows<Value>(
        _ sql: String,
        _ arguments: StatementArguments = [],
        _ read: (Row) throws -> Value
    ) throws -> [Value] {
        let cursor = try Row.fetchCursor(database.cachedStatement(sql: sql), arguments: arguments)
        var values: [Value] = []
        while let row = try cursor.next() { values.append(try read(row)) }
        return values
    }

    func first<Value>(
        _ sql: String,
        _ arguments: StatementArguments = [],
        _ read: (Row) throws -> Value
    ) throws -> Value? {
        try rows(sql, arguments, read).first
    }

    /// A value of the one row of `state`, which bounds and order depend on.
    func stateValue(_ sql: String) throws -> Int64 {
        let value: Int64? = try first(sql) { try $0.value(at: 0) }
        guard let value else {
            throw DatabaseError.damage("the row of state is missing")
        }
        return value
    }
}

extension String {
    /// The bytes of the text, which SQLite keeps whole: its type for text ends at the first zero.
    var bytes: Data { Data(utf8) }
}

extension Row {
    /// A value whose type may be wrong in a damaged file, where GRDB's subscripts would end the process.
    func value<Value: DatabaseValueConvertible>(at index: Int) throws -> Value {
        guard let value = Value.fromDatabaseValue(self[index]) else {
            throw DatabaseError.damage("a column holds another type")
        }
        return value
    }
}
