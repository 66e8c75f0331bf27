import FeedFeature
import GRDB

/// The reason why the backend's database cannot be used.
@nonexhaustive
public enum FeedDatabaseError: Error {
    /// The file or its folder cannot be created, opened or written.
    case cannotOpen(path: String, underlying: any Error)

    /// The file is damaged, or it is not an SQLite database.
    case damaged(path: String, underlying: any Error)

    /// The file was written by a newer version of this program.
    case newerSchema(path: String)

    init(_ error: any Error, path: String) {
        switch (error, (error as? DatabaseError)?.resultCode) {
        case (is NewerSchema, _): self = .newerSchema(path: path)
        case (_, .SQLITE_NOTADB?), (_, .SQLITE_CORRUPT?): self = .damaged(path: path, underlying: error)
        default: self = .cannotOpen(path: path, underlying: error)
        }
    }
}

extension FeedDatabaseError: CustomStringConvertible {
    /// The failure and what to do about it.
    public var description: String {
        switch self {
        case .cannotOpen(let path, let underlying):
            """
            The database \(path) cannot be opened: \(underlying.plainReason). \
            Check that its folder can be written, or choose another.
            """
        case .damaged(let path, let underlying):
            """
            The database \(path) is damaged or is not one: \(underlying.plainReason). \
            Move it away to start anew, or choose another.
            """
        case .newerSchema(let path):
            "The database \(path) was written by a newer version. Use that version, or choose another file."
        }
    }
}
