import Duet
import DuetCaching
import DuetSQLite
import DuetTesting
import Foundation
import GRDB
import TestSupport

/// A query whose handler runs a statement, and returns its rows as a text.
struct Select: Query, Hashable, Codable {
    typealias Value = String
    let sql: String

    init(_ sql: String) {
        self.sql = sql
    }
}

/// A query whose handler returns the values of another query.
struct Derived: Query, Hashable {
    typealias Value = [String]
    let queries: [Select]
}

/// A command whose handler runs statements in one transaction.
struct Execute: Command {
    let sql: String

    init(_ sql: String) {
        self.sql = sql
    }
}

/// A tracked database with talks, and a cache of its values without rules.
struct TrackedWorld {
    let pool: any DatabaseWriter
    let database: TrackedDatabase
    let handlers = SpyDispatcher()
    let clock = ManualClock()
    let date = TestDate(Date(timeIntervalSinceReferenceDate: 0))

    static let schema = """
        CREATE TABLE talk (
            id INTEGER PRIMARY KEY, title TEXT, stars INT DEFAULT 0, room INT REFERENCES room ON DELETE CASCADE
        );
        CREATE TABLE room (id INTEGER PRIMARY KEY, name TEXT UNIQUE, seats INT, room INT);
        CREATE TABLE tag (talk INT, name TEXT, PRIMARY KEY (talk, name)) WITHOUT ROWID;
        CREATE TABLE price (id INTEGER PRIMARY KEY, net INT, gross INT AS (net * 2));
        CREATE VIRTUAL TABLE note USING fts5(text);
        CREATE VIEW full AS SELECT talk.id, talk.title, room.name FROM talk JOIN room ON room.id = talk.room;
        CREATE TABLE log (entry TEXT);
        CREATE TRIGGER renamed AFTER UPDATE OF name ON room BEGIN INSERT INTO log VALUES (new.name); END;
        INSERT INTO room VALUES (1, 'blue', 10, 1), (2, 'red', 20, 2);
        INSERT INTO talk VALUES (1, 'Duet', 0, 1), (2, 'Solo', 0, 2);
        INSERT INTO tag VALUES (1, 'swift');
        INSERT INTO price VALUES (1, 5);
        INSERT INTO note VALUES ('hello');
        """

    init(_ pool: (any DatabaseWriter)? = nil, trace: (@Sendable (Database.TraceEvent) -> Void)? = nil) throws {
        self.pool = try pool ?? DatabaseQueue()
        try self.pool.write { try $0.execute(sql: Self.schema) }
        database = try TrackedDatabase(self.pool, checkingEvery: .milliseconds(100), clock: clock, trace: trace)
        handlers.stub(Select.self) { [database] query in
            try await database.read { try Self.rows(query.sql, in: $0) }
        }
        handlers.stub(Execute.self) { [database] command in
            try await database.write { try $0.execute(sql: command.sql) }
        }
    }

    static func rows(_ sql: String, in db: Database) throws -> String {
        try Row.fetchAll(db, sql: sql).map { "\($0)" }.joined(separator: "\n")
    }

    func caching(
        in memory: CacheMemory = .memory(limit: .entries(100)),
        @ListBuilder<CacheRule> _ rules: () -> [CacheRule] = { [] }
    ) throws -> CachingDispatcher {
        let rules = rules()
        let dispatcher = try handlers.caching(in: memory, tracking: database, now: date.now, clock: clock) {
            Cache(Select.self)
            Cache(Derived.self)
            rules
        }
        handlers.stub(Derived.self) { query in
            var values: [String] = []
            for query in query.queries { values.append(try await dispatcher.dispatch(query)) }
            return values
        }
        return dispatcher
    }
}
