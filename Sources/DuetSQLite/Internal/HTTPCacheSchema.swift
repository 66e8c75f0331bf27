import DuetHTTPCaching
import GRDB

/// The tables, and how they came to be.
enum HTTPCacheSchema {
    /// "Duet": what tells a database of this kind from those of other programs.
    static let application = 0x4475_6574

    /// The format of the tables and of what is in them; another number for every change.
    static let version = 4

    /// Makes the tables where there are none.
    ///
    /// A row of `piece` holds bytes of the entry whose id is in the upper bits of its own: so all that belong together lie
    /// together, and need no index. Ids begin somewhere, so that those of a database that was lost do not come back. The indexes by
    /// use tell what goes next and how many bytes there are, without a look at the rows, which hold the heads.
    static let tables = """
        CREATE TABLE entry (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            uri TEXT NOT NULL,
            partition TEXT NOT NULL,
            head BLOB, -- NULL until the body is complete
            length INTEGER NOT NULL, -- of the body
            size INTEGER NOT NULL, -- what counts against the capacity
            stored INTEGER NOT NULL, -- this and the following: when, in the order of all that happens
            revision INTEGER NOT NULL, -- of the head
            used INTEGER NOT NULL
        );
        CREATE INDEX entryByKey ON entry (uri, partition);
        CREATE INDEX entrySeen ON entry (used, size) WHERE head IS NOT NULL;
        CREATE INDEX entryUnseen ON entry (used, size) WHERE head IS NULL;
        CREATE TABLE piece (id INTEGER PRIMARY KEY, sum INTEGER NOT NULL, bytes BLOB NOT NULL);
        CREATE TABLE state (id INTEGER PRIMARY KEY CHECK (id = 1), size INTEGER NOT NULL, sequence INTEGER NOT NULL);
        CREATE TRIGGER entryInserted AFTER INSERT ON entry BEGIN
            UPDATE state SET size = size + new.size;
        END;
        CREATE TRIGGER entryUpdated AFTER UPDATE OF size ON entry BEGIN
            UPDATE state SET size = size + new.size - old.size;
        END;
        CREATE TRIGGER entryDeleted AFTER DELETE ON entry BEGIN
            DELETE FROM piece WHERE id BETWEEN old.id << \(pieceBits) AND (old.id << \(pieceBits)) + \(maximumPiece);
            UPDATE state SET size = size - old.size;
        END;
        INSERT INTO state VALUES (1, 0, 0);
        INSERT INTO sqlite_sequence VALUES ('entry', abs(random() % (1 << 40)));
        PRAGMA application_id = \(application);
        PRAGMA user_version = \(version);
        """

    /// How many bits of a row's id count the rows of a body.
    static let pieceBits = 20

    /// The id of a row of a body.
    static func row(_ number: Int64, of id: HTTPCacheEntry.ID) -> Int64 { id << Int64(pieceBits) + number }

    /// The last row that a body can have.
    static let maximumPiece: Int64 = (1 << pieceBits) - 1
}
