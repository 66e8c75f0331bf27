import Duet
public import DuetHTTPCaching
import Foundation
import GRDB

/// An error of a cache in an SQLite file, ``SQLiteCacheStore`` or ``SQLiteHTTPCacheStore``.
@nonexhaustive
public enum SQLiteCacheError: Error {
    /// The folder of the file does not exist and cannot be created.
    case folderUnavailable(path: String, underlying: any Error)

    /// The path is not that of a cache, but of a folder, a text, or another program's database.
    case otherContent(path: String, reason: String)

    /// The cache was written by a newer version of this program.
    case newerFormat(path: String, found: Int, supported: Int)

    /// The file was damaged, and is renamed if no other process uses it.
    case damaged(path: String, reason: String)

    /// The file is damaged and cannot be renamed, because another process uses it.
    case damagedInUse(path: String, reason: String)

    /// Another process kept the database locked for the whole timeout.
    case locked(path: String, after: Duration)

    /// The response was removed while it was stored or read.
    case responseGone(path: String)

    /// The file was replaced while it was read or written, because it was damaged or everything was removed.
    case replaced(path: String)

    /// The system refused to read or write, for example because the disk is full or read-only.
    case failed(path: String, underlying: any Error)
}

/// An error of ``SQLiteHTTPCacheStore``.
public typealias SQLiteHTTPCacheError = SQLiteCacheError

extension SQLiteCacheError: HTTPCacheRemovalError {
    /// Whether the response was removed, which is not a failure of the store.
    public var isRemoval: Bool {
        switch self {
        case .responseGone, .replaced: true
        default: false
        }
    }
}

extension SQLiteCacheError: CustomStringConvertible {
    /// The failure, its file, and its remedy.
    public var description: String {
        switch self {
        case .folderUnavailable(let path, let underlying):
            """
            The folder \(path) of the cache cannot be created: \(Self.reason(of: underlying)). \
            Choose a folder that this program can create and write to.
            """
        case .otherContent(let path, let reason):
            "\"\(path)\" is not a cache of this kind: \(reason). It is left unchanged. Choose another path for the cache."
        case .newerFormat(let path, let found, let supported):
            """
            The cache \(path) has format \(found); this program supports formats up to \(supported). \
            Update the program, or choose another path for its cache.
            """
        case .damaged(let path, let reason):
            "The cache \(path) was damaged and starts over: \(reason). Check the disk if this happens again."
        case .damagedInUse(let path, let reason):
            """
            The cache \(path) is damaged and in use by another process: \(reason). \
            End that process and restart this one, which continues without the cache.
            """
        case .locked(let path, let duration):
            "The cache \(path) was locked by another process for \(duration.text). End that process or try again later."
        case .responseGone(let path):
            "A response was removed from the cache \(path) while it was stored or read. Send the request again."
        case .replaced(let path):
            "The cache \(path) was replaced while it was read or written. Try again."
        case .failed(let path, let underlying):
            """
            The cache \(path) could not be read or written: \(Self.reason(of: underlying)). \
            Make room if the disk is full, and let this program write there; the cache then continues by itself.
            """
        }
    }

    /// The message of SQLite or the system, without the statement and its values.
    private static func reason(of error: any Error) -> String {
        let text = (error as? DatabaseError)?.reason ?? error.localizedDescription
        return text.hasSuffix(".") ? String(text.dropLast()) : text
    }
}

extension DatabaseError {
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
