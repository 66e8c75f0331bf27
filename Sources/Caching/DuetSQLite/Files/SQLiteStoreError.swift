import Duet
import Foundation
import GRDB

/// An error of a store in an SQLite file.
@nonexhaustive
public enum SQLiteStoreError: Error {
    /// The path leads to a file of the user or of another program, which is unchanged.
    case notOurs(path: String, reason: String)

    /// The file was written by a newer version of this program, and is unchanged.
    case newerFormat(path: String, found: Int, supported: Int)

    /// The file is damaged.
    case damaged(path: String, reason: String)

    /// The file or its folder cannot be created or opened.
    case cannotOpen(path: String, underlying: any Error)

    /// Another process kept the database locked for the whole timeout.
    case locked(path: String, after: Duration)

    /// The system refused to read or write, for example because the disk is full or read-only.
    case failed(path: String, underlying: any Error)
}

extension SQLiteStoreError: CustomStringConvertible {
    /// The failure, its file, and its remedy.
    public var description: String {
        switch self {
        case .notOurs(let path, let reason):
            "\"\(path)\" is not a file of this kind: \(reason). It is left unchanged. Choose another path."
        case .newerFormat(let path, let found, let supported):
            """
            The file \(path) has format \(found); this program supports formats up to \(supported). It is left \
            unchanged. Update the program, or choose another path.
            """
        case .damaged(let path, let reason):
            """
            The file \(path) is damaged: \(reason). End all programs that use it: the next one replaces a cache or an \
            outbox. Restore any other file from a copy, or move it away.
            """
        case .cannotOpen(let path, let underlying):
            """
            The file \(path) cannot be opened: \(Self.reason(of: underlying)). \
            Choose a file in a folder that this program can write to.
            """
        case .locked(let path, let duration):
            "The file \(path) was locked by another process for \(duration.text). End that process or try again later."
        case .failed(let path, let underlying):
            """
            The file \(path) could not be read or written: \(Self.reason(of: underlying)). \
            Make room if the disk is full, and let this program write there; its store then continues by itself.
            """
        }
    }

    /// The message of SQLite or the system, without the statement and its values.
    private static func reason(of error: any Error) -> String {
        var text = (error as? DatabaseError)?.reason ?? error.localizedDescription
        let opening = "The operation could not be completed. "
        if text.hasPrefix(opening) { text.removeFirst(opening.count) }
        return text.hasSuffix(".") ? String(text.dropLast()) : text
    }
}

extension SQLiteStoreError {
    init(_ error: DatabaseError, path: String, busyTimeout: Duration) {
        switch error.resultCode {
        case .SQLITE_BUSY, .SQLITE_LOCKED: self = .locked(path: path, after: busyTimeout)
        case .SQLITE_CANTOPEN, .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_AUTH:
            self = .cannotOpen(path: path, underlying: error)
        case .SQLITE_IOERR where Self.hasOtherNames(path):
            self = .cannotOpen(path: path, underlying: HardLink(reason: error.reason))
        case _ where error.isDamage: self = .damaged(path: path, reason: error.reason)
        default: self = .failed(path: path, underlying: error)
        }
    }

    private static func hasOtherNames(_ path: String) -> Bool {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return (attributes?[.referenceCount] as? Int) ?? 1 > 1
    }
}

/// A file with several names has a log of changes beside each one (sqlite.org, "How To Corrupt An SQLite Database").
private struct HardLink: LocalizedError {
    let reason: String

    var errorDescription: String? { "\(reason); it has other names, hard links, and may be in use under one" }
}

extension DatabaseError {
    static func damage(_ reason: String) -> DatabaseError {
        DatabaseError(resultCode: .SQLITE_CORRUPT, message: reason)
    }

    /// Whether the file is damaged; a missing table or column shows that too.
    var isDamage: Bool {
        switch resultCode {
        case .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_SCHEMA: true
        case .SQLITE_ERROR: message?.hasPrefix("no such") == true
        default: false
        }
    }

    /// The message of SQLite, without the statement and its values.
    var reason: String { message ?? "\(resultCode)" }
}
