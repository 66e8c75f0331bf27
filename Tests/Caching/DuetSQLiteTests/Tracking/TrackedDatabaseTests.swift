import Duet
import DuetCaching
import DuetSQLite
import DuetTesting
import GRDB
import Synchronization
import Testing

/// Tests of values that become stale by what is written, without a rule.
@Suite(.timeLimit(.minutes(5)))
struct TrackedDatabaseTests {
    /// Statements of a query and of a command, and whether the command makes the value stale.
    private static let cases: [(read: String, write: String, isStale: Bool)] = [
        ("SELECT title FROM talk", "UPDATE talk SET title = 'Trio' WHERE id = 1", true),
        ("SELECT title FROM talk", "UPDATE talk SET stars = 1", false),
        ("SELECT title FROM talk", "UPDATE talk SET title = 'Trio' WHERE id = 9", false),
        ("SELECT title FROM talk", "INSERT INTO talk (title) VALUES ('Trio')", true),
        ("SELECT title FROM talk", "DELETE FROM talk", true),
        ("SELECT title FROM talk", "DELETE FROM talk WHERE id = 9", false),
        ("SELECT title FROM talk", "UPDATE room SET seats = 1", false),
        ("SELECT title FROM talk WHERE id = 9", "INSERT INTO talk VALUES (9, 'Nine', 0, 1)", true),
        ("SELECT COUNT(*) FROM talk", "UPDATE talk SET stars = 1", true),
        ("SELECT COUNT(*) FROM talk", "INSERT INTO talk (title) VALUES ('Trio')", true),
        ("SELECT rowid FROM talk", "UPDATE talk SET rowid = 7 WHERE id = 1", true),
        ("SELECT id FROM talk", "UPDATE talk SET rowid = 7 WHERE id = 1", true),
        ("SELECT title FROM talk", "REPLACE INTO talk (id, title) VALUES (1, 'Trio')", true),
        ("SELECT seats FROM room", "UPDATE OR REPLACE room SET name = 'red' WHERE id = 1", true),
        (
            "SELECT title FROM talk",
            "INSERT INTO talk (id, title) VALUES (1, 'x') ON CONFLICT DO UPDATE SET stars = 1", false
        ),
        (
            "SELECT stars FROM talk",
            "INSERT INTO talk (id, title) VALUES (1, 'x') ON CONFLICT DO UPDATE SET stars = 1", true
        ),
        ("SELECT title FROM talk", "PRAGMA foreign_keys = ON; DELETE FROM room WHERE id = 1", true),
        ("SELECT title, name FROM full", "UPDATE room SET name = 'green' WHERE id = 1", true),
        ("SELECT title, name FROM full", "UPDATE room SET seats = 1", false),
        ("SELECT * FROM log", "UPDATE room SET name = 'green' WHERE id = 1", true),
        ("SELECT * FROM log", "UPDATE room SET seats = 9", false),
        ("SELECT name FROM tag", "INSERT INTO tag VALUES (2, 'http')", true),
        ("SELECT name FROM tag", "UPDATE tag SET name = 'http'", true),
        ("SELECT name FROM tag", "UPDATE talk SET stars = 1", false),
        ("SELECT gross FROM price", "UPDATE price SET net = 6", true),
        ("SELECT text FROM note WHERE note MATCH 'hello'", "INSERT INTO note VALUES ('hello too')", true),
        ("SELECT text FROM note WHERE note MATCH 'hello'", "DELETE FROM note", true),
        ("WITH best AS (SELECT * FROM talk WHERE stars > 1) SELECT id FROM best", "UPDATE talk SET stars = 2", true),
        ("SELECT EXISTS (SELECT 1 FROM talk WHERE room = 9)", "UPDATE talk SET room = 2", true),
        ("SELECT value FROM json_each('[1, 2]'), talk", "UPDATE talk SET stars = 1", true),
        ("SELECT talk.title FROM talk LEFT JOIN room USING (room)", "UPDATE room SET room = 3", true),
        ("SELECT COUNT(*) FROM talk JOIN room USING (room)", "UPDATE talk SET room = NULL", true),
        ("SELECT COUNT(*) FROM talk NATURAL JOIN room", "INSERT INTO room VALUES (3, 'x', 1, 1)", true),
        ("SELECT title FROM talk NATURAL JOIN room", "UPDATE price SET net = 6", false),
        ("SELECT sql FROM sqlite_master", "ALTER TABLE talk ADD COLUMN speaker TEXT", true),
        ("SELECT * FROM talk", "ALTER TABLE talk ADD COLUMN speaker TEXT", true),
        ("SELECT name FROM room", "DROP TABLE talk", true),
        ("SELECT title FROM talk", "SAVEPOINT a; UPDATE talk SET title = 'Trio'; RELEASE a", true),
        ("-- the titles\nSELECT title FROM talk", "UPDATE talk SET title = 'Trio'", true),
        ("SELECT date(stars, 'unixepoch') FROM talk", "UPDATE talk SET stars = 9", true),
        ("SELECT date(stars, 'unixepoch') FROM talk", "UPDATE talk SET title = ''", false),
    ]

    @Test(arguments: cases) func `a write makes a value stale that it may change`(
        _ read: String,
        _ write: String,
        _ isStale: Bool
    ) async throws {
        let world = try TrackedWorld()
        let dispatcher = try world.caching()
        let query = Select(read)
        let before = try await dispatcher.dispatch(query)
        let explanation = await dispatcher.cache.explain(query)
        #expect(dispatcher.cache.peek(query) == before, "\(explanation)")
        try await dispatcher.dispatch(Execute(write))
        #expect((dispatcher.cache.peek(query) == nil) == isStale)
        let expected = try await world.pool.read { try TrackedWorld.rows(read, in: $0) }
        #expect(try await dispatcher.dispatch(query) == expected)
    }

    @Test func `a write outside of a transaction is noticed`() async throws {
        let world = try TrackedWorld()
        let dispatcher = try world.caching()
        let query = Select("SELECT title FROM talk")
        for _ in 1...2 {
            _ = try await dispatcher.dispatch(query)
            // The commit comes after the only step that is made.
            _ = try await world.database.writeWithoutTransaction { db in
                try Int.fetchOne(db, sql: "INSERT INTO talk (title) VALUES ('Trio') RETURNING id")
            }
            #expect(dispatcher.cache.peek(query) == nil)
        }
    }

    @Test func `a function, or a database, that came later is not tracked`() async throws {
        let world = try TrackedWorld()
        let dispatcher = try world.caching()
        _ = try await dispatcher.dispatch(Select("SELECT title FROM talk"))
        try await world.pool.writeWithoutTransaction { db in
            db.add(function: DatabaseFunction("own", argumentCount: 1) { $0.first })
            db.add(function: DatabaseFunction("pure", argumentCount: 1, pure: true) { $0.first })
            try db.execute(sql: "ATTACH ':memory:' AS other; CREATE TABLE other.elsewhere (text TEXT)")
        }
        for (sql, isKept) in [
            ("SELECT own(id) FROM talk", false), ("SELECT text FROM elsewhere", false),
        ] {
            _ = try await dispatcher.dispatch(Select(sql))
            #expect((dispatcher.cache.peek(Select(sql)) != nil) == isKept)
        }
    }

    @Test(arguments: [
        "SELECT snippet(note, 0, '', '', '', 8) FROM note WHERE note MATCH 'hello'",
        "SELECT strftime('%Y', stars) FROM talk",
        "SELECT lower(title) FROM talk", "SELECT COUNT(*), MAX(stars) FROM talk",
    ])
    func `a function of its arguments is tracked`(_ sql: String) async throws {
        let world = try TrackedWorld()
        let dispatcher = try world.caching()
        let value = try await dispatcher.dispatch(Select(sql))
        #expect(dispatcher.cache.peek(Select(sql)) == value)
    }

    @Test func `what is read before it is rolled back is not kept`() async throws {
        let world = try TrackedWorld()
        let dispatcher = try world.caching()
        for isSavepoint in [true, false] {
            world.handlers.stub(Select.self) { query in
                let value = Mutex("")
                try? await world.database.write { db in
                    let preview = {
                        try db.execute(sql: "UPDATE talk SET title = 'Preview'")
                        let rows = try TrackedWorld.rows(query.sql, in: db)
                        value.withLock { $0 = rows }
                        throw CancellationError()
                    }
                    if isSavepoint {
                        try? db.inSavepoint {
                            try preview()
                            return .commit
                        }
                    } else {
                        try preview()
                    }
                }
                return value.withLock(\.self)
            }
            let query = Select("SELECT title FROM talk WHERE id = 1")
            #expect(try await dispatcher.dispatch(query) == "[title:\"Preview\"]")
            #expect(dispatcher.cache.peek(query) == nil)
        }
    }

    @Test func `a write of any code makes values stale before it returns`() async throws {
        let world = try TrackedWorld()
        let dispatcher = try world.caching()
        let query = Select("SELECT title FROM talk")
        _ = try await dispatcher.dispatch(query)
        try await world.pool.write { try $0.execute(sql: "UPDATE talk SET title = 'Trio'") }
        #expect(dispatcher.cache.peek(query) == nil)
    }

    @Test func `a transaction that is rolled back changes nothing`() async throws {
        let world = try TrackedWorld()
        let dispatcher = try world.caching()
        let query = Select("SELECT title FROM talk")
        let before = try await dispatcher.dispatch(query)
        await #expect(throws: DatabaseError.self) {
            try await dispatcher.dispatch(Execute("UPDATE talk SET title = 'Trio'; INSERT INTO nothing VALUES (1)"))
        }
        #expect(dispatcher.cache.peek(query) == before)
    }

    @Test func `a value of another one's value follows what that was made from`() async throws {
        let world = try TrackedWorld()
        let dispatcher = try world.caching()
        let inner = Select("SELECT title FROM talk")
        let outer = Derived(queries: [inner])
        _ = try await dispatcher.dispatch(inner)
        // By a hit.
        let before = try await dispatcher.dispatch(outer)
        #expect(dispatcher.cache.peek(outer) == before)
        try await dispatcher.dispatch(Execute("UPDATE talk SET stars = 1"))
        #expect(dispatcher.cache.peek(outer) == before)
        try await dispatcher.dispatch(Execute("UPDATE talk SET title = 'Trio'"))
        #expect(dispatcher.cache.peek(outer) == nil)
        // By a load.
        #expect(try await dispatcher.dispatch(outer) == [dispatcher.dispatch(inner)])
        dispatcher.cache.invalidate(Select.self) { _ in true }
        #expect(dispatcher.cache.peek(outer) == nil)
    }

    @Test(arguments: [
        "SELECT date('now')", "SELECT datetime()", "SELECT CURRENT_TIMESTAMP",
        "SELECT id + random() FROM talk", "SELECT own(id) FROM talk", "PRAGMA user_version",
    ])
    func `a value of what nobody can track is not kept without a policy`(_ sql: String) async throws {
        let world = try TrackedWorld()
        let dispatcher = try world.caching()
        try await world.pool.writeWithoutTransaction { db in
            db.add(function: DatabaseFunction("own", argumentCount: 1) { $0.first })
        }
        _ = try? await dispatcher.dispatch(Select(sql))
        #expect(dispatcher.cache.peek(Select(sql)) == nil)
    }

    @Test func `a read without the trace is stale after each write`() async throws {
        let world = try TrackedWorld()
        let dispatcher = try world.caching()
        world.handlers.stub(Select.self) { query in
            try await world.database.read { db in
                db.trace(options: [])
                return try TrackedWorld.rows(query.sql, in: db)
            }
        }
        let query = Select("SELECT title FROM talk")
        let before = try await dispatcher.dispatch(query)
        #expect(dispatcher.cache.peek(query) == before)
        try await dispatcher.dispatch(Execute("UPDATE room SET seats = 1"))
        #expect(dispatcher.cache.peek(query) == nil)
    }

    @Test func `a value of a load that writes what it reads is returned and not kept`() async throws {
        let world = try TrackedWorld()
        let dispatcher = try world.caching()
        world.handlers.stub(Select.self) { query in
            try await world.database.write { db in
                try db.execute(sql: "UPDATE talk SET stars = 1")
                return try TrackedWorld.rows(query.sql, in: db)
            }
        }
        let stars = Select("SELECT stars FROM talk WHERE id = 1")
        _ = try await dispatcher.dispatch(stars)
        #expect(dispatcher.cache.peek(stars) == nil)
        // A write of something else does not matter.
        let title = Select("SELECT title FROM talk WHERE id = 1")
        let before = try await dispatcher.dispatch(title)
        #expect(dispatcher.cache.peek(title) == before)
    }

    @Test func `two sources of one name are refused`() throws {
        let world = try TrackedWorld()
        let other = try TrackedWorld()
        #expect(throws: InvalidCacheRules.self) {
            try QueryCache(in: .memory(limit: .entries(1)), tracking: [world.database, other.database]) {
                Cache(Select.self)
            }
        }
    }

    @Test func `an explanation says what a value was made from, and who writes that how often`() async throws {
        let world = try TrackedWorld()
        let dispatcher = try world.caching()
        let query = Select("SELECT title, stars FROM talk")
        _ = try await dispatcher.dispatch(query)
        for _ in 1...3 { try await dispatcher.dispatch(Execute("UPDATE talk SET stars = stars + 1")) }
        try await world.pool.write { try $0.execute(sql: "INSERT INTO talk (title) VALUES ('Trio')") }
        let explanation = await dispatcher.cache.explain(query)
        #expect(explanation.isInvalidated)
        #expect(
            explanation.data == [
                "It was made from talk.stars of database, written 3 times, last by \(Execute.messageName)",
                "It was made from talk (rows) of database, written once by work outside of commands",
                "It was made from talk.title of database",
            ]
        )
        #expect(explanation.description.contains("\n- It was made from talk.title of database.\n"))
    }
}
