import DuetCaching
import DuetContracts
import DuetTesting
import Foundation

/// Files that the store wrote in its formats, as SQL, with the values in them.
///
/// Each later format gets its own constant. These do not change.
enum GoldenCache {
    static let values: [(CacheKey, StoredValue)] = [
        (
            CacheStoreSubject.key(1, scope: "ada"),
            CacheStoreSubject.value(
                1,
                count: 20,
                usableUntil: Date(timeIntervalSinceReferenceDate: 0.1 + 0.2),
                tags: ["b", "ünïcödé 🗂", "b"]
            )
        ),
        (CacheStoreSubject.key(2, version: -3, scope: ""), CacheStoreSubject.value(2, count: 0)),
        (CacheStoreSubject.key(3), CacheStoreSubject.value(3, count: 40, usableUntil: .distantPast, isKept: true)),
    ]

    /// The third value is stale.
    static let format3 = """
        CREATE TABLE value (
            id INTEGER PRIMARY KEY, -- a hash of the key
            query BLOB NOT NULL, -- its name
            key BLOB NOT NULL, -- all parts
            loaded INTEGER NOT NULL, -- dates are bits of numbers, in the order of dates
            usableUntil INTEGER,
            writer BLOB NOT NULL,
            epoch INTEGER NOT NULL,
            size INTEGER NOT NULL, -- what counts against the limit
            tags BLOB NOT NULL, -- each with its length
            checksum INTEGER NOT NULL, -- of everything but the key and the size; inverted for a stale value
            bytes BLOB NOT NULL,
            isKept INTEGER NOT NULL, -- whether a stale value is kept
            isStale INTEGER NOT NULL,
            number INTEGER NOT NULL -- the counter when it was stored
        );
        -- Notes that values of a query with smaller numbers may be stale.
        CREATE TABLE doubt (number INTEGER PRIMARY KEY, query BLOB NOT NULL);
        INSERT INTO value VALUES (-7823770752173445203, X'53746F72652E53616D706C65',
            X'0C00000053746F72652E53616D706C650100000000000000007B226E756D626572223A337D', 4739994094775618765,
            -4768577294404943873, X'0102030405060708090A0B0C0D0E0F03', 3, 77, X'', 629433298188718936,
            X'15050A483423AF663B02915061C369C4F2863B2C9E9E5FB7FD89CC50B8E5B7EAFDEA050A493723AC', 1, 1, 3);
        INSERT INTO value VALUES (-1620348445809255946, X'53746F72652E53616D706C65',
            X'0C00000053746F72652E53616D706C65FDFFFFFFFFFFFFFF01000000007B226E756D626572223A327D',
            4739994094772822562, NULL, X'0102030405060708090A0B0C0D0E0F02', 2, 41, X'', -2299050341091338036, X'', 0,
            0, 2);
        INSERT INTO value VALUES (8687526737860475712, X'53746F72652E53616D706C65',
            X'0C00000053746F72652E53616D706C65010000000000000001030000006164617B226E756D626572223A317D',
            4739994094770026360, 4599075939470750516, X'0102030405060708090A0B0C0D0E0F01', 1, 94,
            X'010000006210000000C3BC6EC3AF63C3B664C3A920F09F97820100000062', 8978483226420939750,
            X'070C0E5A3D27BD6F3F10985473CA6DD6FB822925', 0, 0, 1);
        CREATE TABLE usage (value INTEGER PRIMARY KEY, used INTEGER NOT NULL);
        INSERT INTO usage VALUES(-7823770752173445203,3);
        INSERT INTO usage VALUES(-1620348445809255946,2);
        INSERT INTO usage VALUES(8687526737860475712,1);
        CREATE TABLE tag (name BLOB NOT NULL, value INTEGER NOT NULL, PRIMARY KEY (name, value)) WITHOUT ROWID;
        INSERT INTO tag VALUES(X'62',8687526737860475712);
        INSERT INTO tag VALUES(X'C3BC6EC3AF63C3B664C3A920F09F9782',8687526737860475712);
        CREATE TABLE state (
            size INTEGER NOT NULL,
            count INTEGER NOT NULL,
            counter INTEGER NOT NULL,
            marker BLOB, -- the last writer that marked values
            mark INTEGER NOT NULL, -- a random number for its last mark
            markOfOthers INTEGER NOT NULL -- for the last one of another writer
        );
        INSERT INTO state VALUES (212, 3, 3, X'0102030405060708090A0B0C0D0E0FFF', -7000353241743622556,
            3401105607342439172);
        CREATE INDEX valueByQuery ON value (query);
        CREATE INDEX valueByExpiry ON value (usableUntil) WHERE usableUntil IS NOT NULL;
        CREATE INDEX usageByUse ON usage (used);
        CREATE INDEX tagByValue ON tag (value);
        CREATE TRIGGER valueInserted AFTER INSERT ON value BEGIN
            UPDATE state SET size = size + new.size, count = count + 1;
        END;
        CREATE TRIGGER valueDeleted AFTER DELETE ON value BEGIN
            UPDATE state SET size = size - old.size, count = count - 1;
            DELETE FROM usage WHERE value = old.id;
            DELETE FROM tag WHERE value = old.id;
        END;
        PRAGMA application_id = 1148544342; PRAGMA user_version = 3;
        """

    /// The format with other hashes of keys and values.
    static let format4 = """
        \(format3)
        UPDATE value SET id = -2800679153245347154, checksum = -4023152212592421532 WHERE id = -7823770752173445203;
        UPDATE value SET id = -3175092508522422376, checksum = -4199985303044816352 WHERE id = -1620348445809255946;
        UPDATE value SET id = 2854015214417769035, checksum = -6349268463395485674 WHERE id = 8687526737860475712;
        UPDATE usage SET value = -2800679153245347154 WHERE value = -7823770752173445203;
        UPDATE usage SET value = -3175092508522422376 WHERE value = -1620348445809255946;
        UPDATE usage SET value = 2854015214417769035 WHERE value = 8687526737860475712;
        UPDATE tag SET value = 2854015214417769035;
        PRAGMA user_version = 4;
        """

    /// The tables of the format, in which no value can be read.
    static let format2 = """
        \(format3)
        ALTER TABLE value DROP COLUMN number; DROP TABLE doubt; PRAGMA user_version = 2;
        """

    /// The tables of the format, in which no value can be read.
    static let format1 = """
        \(format2)
        ALTER TABLE value DROP COLUMN isKept; ALTER TABLE value DROP COLUMN isStale;
        ALTER TABLE state DROP COLUMN marker; ALTER TABLE state DROP COLUMN mark;
        ALTER TABLE state DROP COLUMN markOfOthers; PRAGMA user_version = 1;
        """
}
