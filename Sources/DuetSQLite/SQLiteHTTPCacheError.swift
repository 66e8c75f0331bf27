public import DuetHTTPCaching

/// Why a cache in an SQLite database could not do what it was asked to.
@nonexhaustive
public enum SQLiteHTTPCacheError: Error {
    /// The folder that the database lies in is not there and cannot be made.
    case folderUnavailable(path: String, underlying: any Error)

    /// What is at the path is no cache: a folder, a text, or the database of another program.
    case otherContent(path: String, reason: String)

    /// The cache was written by a newer version of this program.
    case newerFormat(path: String, found: Int, supported: Int)

    /// What was stored is damaged; it was put aside, and the cache goes on with nothing in it.
    case damaged(path: String, reason: String)

    /// Another process kept the database locked for as long as this one was ready to wait.
    case locked(path: String, after: Duration)

    /// The log of changes is too large and cannot be begun anew, because somebody reads on and on: until it can, nothing is stored.
    case logHeld(path: String, bytes: Int64)

    /// The response that was being stored or read was removed meanwhile.
    case responseGone(path: String)

    /// The system refused to read or write: the disk is full, for example, or may not be written to.
    case failed(path: String, underlying: any Error)
}

extension SQLiteHTTPCacheError: HTTPCacheRemovalError {
    /// Whether the response was removed while it was stored or read.
    public var isRemoval: Bool {
        if case .responseGone = self { true } else { false }
    }
}

extension SQLiteHTTPCacheError: CustomStringConvertible {
    /// What failed, in which file, and what to do about it.
    public var description: String {
        switch self {
        case .folderUnavailable(let path, let underlying):
            "The HTTP cache cannot be kept in \(path): \(underlying.reasonOfSystem). Choose a folder that can be made and written to."
        case .otherContent(let path, let reason):
            "\"\(path)\" is no HTTP cache: \(reason). Choose another place for the cache."
        case .newerFormat(let path, let found, let supported):
            """
            The HTTP cache \(path) has format \(found); this program knows formats up to \(supported). \
            Update the program, or choose another place for its cache.
            """
        case .damaged(let path, let reason):
            """
            The HTTP cache \(path) was damaged: \(reason). It goes on with nothing in it. Ask the origin again, and check the disk \
            if this comes again.
            """
        case .locked(let path, .zero):
            "The HTTP cache \(path) is in use by another process, and is not waited for now. End that process or try again later."
        case .locked(let path, let duration):
            "The HTTP cache \(path) was in use by another process for \(duration). End that process or try again later."
        case .logHeld(let path, let bytes):
            """
            The log of the HTTP cache \(path) has \(bytes) bytes and cannot be begun anew, because another program reads from the \
            database without an end. End that program: until then nothing more is stored.
            """
        case .responseGone(let path):
            "A response was removed from the HTTP cache \(path) while it was being stored or read. Ask the origin again."
        case .failed(let path, let underlying):
            """
            The HTTP cache \(path) could not be read or written: \(underlying.reasonOfSystem). Is the disk full or read-only? Make room, or let \
            this program write there: the cache goes on by itself.
            """
        }
    }
}
