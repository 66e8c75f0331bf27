import DuetHTTPCaching
import GRDB

extension HTTPCacheTables {
    /// How many entries one transaction removes of those that may be any number: others can write between two of them, and all
    /// that one of them removes is in the log before any of it is gone.
    static let step = 256

    /// Removes entries that are seen.
    func remove(_ ids: [HTTPCacheEntry.ID]) throws {
        for id in ids { try remove("id = ?") { $0.bind(id, at: 1) } }
    }

    /// Removes all of a URI, with what is being stored for it anywhere.
    func removeAll(uri: String) throws {
        try remove("uri = ?") { $0.bind(uri, at: 1) }
        try run("DELETE FROM entry WHERE uri = ?") { $0.bind(uri, at: 1) }
    }

    /// Removes a ``step`` of the URIs that begin so, and after the last of them what is being stored for them anywhere.
    ///
    /// - Returns: Whether none is left.
    func removeAll(prefix: String) throws -> Bool {
        // Behind all that begins so comes what has the last of all characters next. What is hidden has none, and is being read.
        let begins = "uri <> '' AND uri >= ?1 AND uri < ?1 || char(1114111)"
        let ids = try numbers("SELECT id FROM entry WHERE \(begins) AND head IS NOT NULL LIMIT \(Self.step)") {
            $0.bind(prefix, at: 1)
        }
        try remove(ids)
        guard ids.count < Self.step else { return false }
        try run("DELETE FROM entry WHERE \(begins)") { $0.bind(prefix, at: 1) }
        return true
    }

    func removeAll() throws {
        try run("DELETE FROM piece")
        try run("DELETE FROM entry")
        try recount()
    }

    /// Counts anew what the entries take, whatever was counted before.
    func recount() throws {
        try run("UPDATE state SET size = (\(Self.sizeOf("head IS NOT NULL"))) + (\(Self.sizeUnseen))")
    }

    /// Removes an entry without a head.
    func discard(_ id: HTTPCacheEntry.ID) throws {
        try run("DELETE FROM entry WHERE id = ? AND head IS NULL") { $0.bind(id, at: 1) }
    }

    /// Removes what nobody can be writing or reading any more.
    func sweep() throws {
        try run("DELETE FROM entry WHERE head IS NULL")
    }

    /// Removes what was used longest ago until the rest fits.
    ///
    /// What is being stored may take as many bytes again, so that something too large does not drive out all the others before
    /// that is known; so does what was removed while it was being read.
    ///
    /// - Returns: Whether the rest fits: a ``step`` is removed at most.
    func trim() throws -> Bool {
        var rest = Self.step
        var last: HTTPCacheEntry.ID?
        // Counted without a trap, whatever a file says of itself.
        var seen = try size() &- sizeUnseen()
        while seen > capacity.bytes, let entry = try oldest("head IS NOT NULL") {
            guard rest > 0 else { return false }
            // Whoever else has changed the tables may keep a row from going.
            guard entry.id != last else {
                throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a row does not go")
            }
            try remove([entry.id])
            (seen, last, rest) = (seen &- entry.size, entry.id, rest - 1)
        }
        var unseen = try sizeUnseen()
        while unseen > capacity.bytes, let entry = try oldest("head IS NULL") {
            guard rest > 0 else { return false }
            try discard(entry.id)
            guard database.changesCount > 0 else { return true }
            (unseen, rest) = (unseen &- entry.size, rest - 1)
        }
        return true
    }

    /// Trims on, after a commit, until the rest fits.
    ///
    /// - Parameter wait: How long each step waits for others.
    func trimRest(waiting wait: Duration) throws {
        var isTrimmed = false
        while !isTrimmed {
            // What was removed before has not waited for anybody.
            database.waitForOthers(wait)
            try database.inTransaction(.immediate) {
                isTrimmed = try trim()
                return .commit
            }
            removeUnread()
        }
    }

    /// What was used longest ago.
    private func oldest(_ condition: String) throws -> (id: HTTPCacheEntry.ID, size: Int64)? {
        let row = try database.cachedStatement(
            sql: "SELECT id, size FROM entry WHERE \(condition) ORDER BY used LIMIT 1"
        )
        defer { row.rewind() }
        return try row.step() ? (row.integer(at: 0), row.integer(at: 1)) : nil
    }

    private func sizeUnseen() throws -> Int64 { try number(Self.sizeUnseen) ?? 0 }

    private static let sizeUnseen = sizeOf("head IS NULL")

    private static func sizeOf(_ condition: String) -> String {
        "SELECT coalesce(sum(size), 0) FROM entry WHERE \(condition)"
    }

    /// Removes what has a head; a body of several rows is only hidden, because somebody may be reading it.
    ///
    /// Once that is committed nobody begins to read it; then ``removeUnread()`` removes it, or its last reader does.
    private func remove(_ condition: String, _ bind: (Statement) -> Void) throws {
        let hidden = try numbers(
            """
            UPDATE entry SET uri = '', partition = '', head = NULL
            WHERE \(condition) AND head IS NOT NULL AND length > \(SQLiteHTTPCacheStore.pieceSize) RETURNING id
            """,
            bind
        )
        readers.hide(hidden)
        try run("DELETE FROM entry WHERE \(condition) AND head IS NOT NULL", bind)
    }

    /// Removes for good, after a commit, what was hidden and is read by nobody here.
    func removeUnread() {
        let ids = readers.takeUnread()
        guard !ids.isEmpty else { return }
        // What asked for the change has it, and need not wait for this.
        database.waitForOthers(.zero)
        do {
            try database.inTransaction(.immediate) {
                for id in ids { try discard(id) }
                return .commit
            }
        } catch {
            // With the next change, when there is no room, or when the database is opened again.
            readers.hide(ids)
        }
    }
}
