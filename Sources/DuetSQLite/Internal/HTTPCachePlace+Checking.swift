import Foundation
import GRDB

extension HTTPCachePlace {
    /// Refuses what is no file, and a file that this has never been a cache in, before anything of it is changed.
    func checkBeforeUse() throws {
        if let reason = path.reasonAgainst { throw SQLiteHTTPCacheError.otherContent(path: path, reason: reason) }
        var status = stat()
        // Why nothing can be there is said when it is made.
        guard unsafe stat(path, &status) == 0 else { return }
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw SQLiteHTTPCacheError.otherContent(path: path, reason: "it is a folder")
        default:
            throw SQLiteHTTPCacheError.otherContent(
                path: path,
                reason: "it is a device or the like, not a file"
            )
        }
        // Looked for after the file, because it is made before it.
        guard !isSigned else { return }
        try checkContent { _ in false }
    }

    /// Refuses the database of another program, and that of a newer version of this one, before anything of it is changed.
    ///
    /// To close a file lets go of the locks that SQLite has on it in this process: only for a file that nobody has open as a
    /// cache. What is damaged is for SQLite to find.
    func checkAlone() throws {
        try checkContent { $0.map { $0.application == 0 && !isOther } ?? true }
    }

    /// Whether it is another program's, which does not say so: what a new cache says of itself may still be in the log.
    private var isOther: Bool {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(busyWait / .seconds(1))
        let database = try? DatabaseQueue(path: path, configuration: configuration)
        return (try? database?.unsafeRead { try HTTPCacheSchema.isOther($0) }) ?? false
    }

    /// - Parameter isOwn: Whether what does not say that it is a cache is one all the same.
    private func checkContent(_ isOwn: (DatabaseFileHeader?) -> Bool) throws {
        guard let file = FileHandle(forReadingAtPath: path) else { return }
        defer { try? file.close() }
        let bytes = try file.read(upToCount: 100) ?? Data()
        guard !bytes.isEmpty else { return }
        let header = DatabaseFileHeader(bytes)
        guard header?.application == Int32(HTTPCacheSchema.application) || isOwn(header) else {
            let reason =
                header == nil ? "it is a file of another kind" : "it is another program's database"
            throw SQLiteHTTPCacheError.otherContent(path: path, reason: reason)
        }
        guard let header, header.version > HTTPCacheSchema.version else { return }
        throw newerFormat(Int(header.version))
    }

    func newerFormat(_ found: Int) -> SQLiteHTTPCacheError {
        .newerFormat(path: path, found: found, supported: HTTPCacheSchema.version)
    }
}

extension String {
    /// The path of what a link leads to, also where nothing is there yet; the same where it is no link.
    var followingLinks: String {
        var path = self
        // More than the system follows.
        for _ in 0..<64 {
            guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else { return path }
            let folder = path.lastIndex(of: "/").map { path[...$0] } ?? ""
            path = target.hasPrefix("/") ? target : folder + target
        }
        return self
    }

    /// Why it is no path of a file that can be meant, or nil.
    fileprivate var reasonAgainst: String? {
        if isEmpty { return "the path is empty" }
        if hasSuffix("/") { return "the name of a file does not end with a slash" }
        if hasPrefix("file:") { return "it is a URL, and a path is needed" }
        if hasPrefix("~/") { return "~ is a home for shells alone, and the whole path is needed" }
        return nil
    }
}
