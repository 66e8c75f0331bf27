import Foundation
import GRDB

extension HTTPCachePlace {
    /// Refuses what is no file, a file that has never been a cache, and that of a newer version, before anything of it is changed.
    ///
    /// - Parameter wait: How long to wait for a lock of others.
    func checkBeforeUse(waiting wait: Duration) throws {
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
        guard status.st_size > 0 else { return }
        guard let bytes = DatabaseFileHeader.bytes(at: path) else {
            guard !isSigned else { return }
            throw SQLiteHTTPCacheError.otherContent(path: path, reason: "it cannot be read")
        }
        let header = DatabaseFileHeader(bytes)
        guard try header?.application == Int32(HTTPCacheSchema.application) || mayBeOwn(header, wait) else {
            let reason =
                header == nil ? "it is a file of another kind" : "it is another program's database"
            throw SQLiteHTTPCacheError.otherContent(path: path, reason: reason)
        }
        guard let header, header.version > HTTPCacheSchema.version else { return }
        throw newerFormat(Int(header.version))
    }

    /// Whether what does not say that it is a cache is one all the same: a damaged one, or a new one that says so in its log.
    private func mayBeOwn(_ header: DatabaseFileHeader?, _ wait: Duration) throws -> Bool {
        // The lock is looked at after the file, because it is made before it.
        guard isSigned else { return false }
        guard let header else { return true }
        guard header.application == 0, header.isEmpty else { return false }
        guard FileIdentity(path: path + "-wal") != nil else { return true }
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(wait / .seconds(1))
        do {
            let database = try DatabaseQueue(path: path, configuration: configuration)
            return try !database.unsafeRead { try HTTPCacheSchema.isOther($0) }
        } catch let error as DatabaseError where error.isDamage {
            return true
        } catch {
            throw mapped(error)
        }
    }

    func newerFormat(_ found: Int) -> SQLiteHTTPCacheError {
        .newerFormat(path: path, found: found, supported: HTTPCacheSchema.version)
    }
}

extension String {
    /// The path from the root on of what a link leads to, also where nothing is there yet; nil where links have no end.
    var followingLinks: String? {
        var path = self
        // More than the system follows.
        for _ in 0..<64 {
            guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else {
                return path.absolute
            }
            let folder = path.lastIndex(of: "/").map { path[...$0] } ?? ""
            path = target.hasPrefix("/") ? target : folder + target
        }
        return nil
    }

    /// The same from the root on, so that it goes on meaning the same file; what cannot be meant stays as it is.
    private var absolute: String {
        hasPrefix("/") || reasonAgainst != nil ? self : FileManager.default.currentDirectoryPath + "/" + self
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
