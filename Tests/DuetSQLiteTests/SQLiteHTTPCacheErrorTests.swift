import DuetSQLite
import Foundation
import GRDB
import Testing

struct SQLiteHTTPCacheErrorTests {
    @Test func `each error names the file and the remedy`() {
        let cause = POSIXError(.ENOSPC)
        let texts: [(SQLiteHTTPCacheError, advice: String)] = [
            (.folderUnavailable(path: "/a/b", underlying: cause), "Choose a folder"),
            (.otherContent(path: "/a/b", reason: "it is a folder"), "Choose another path for the cache."),
            (.newerFormat(path: "/a/b", found: 3, supported: 2), "Update the program, or choose another path"),
            (.damaged(path: "/a/b", reason: "torn"), "Check the disk if this happens again."),
            (.damagedInUse(path: "/a/b", reason: "torn"), "End that process and restart this one"),
            (.locked(path: "/a/b", after: .seconds(5)), "End that process or try again later."),
            (.responseGone(path: "/a/b"), "Send the request again."),
            (.failed(path: "/a/b", underlying: cause), "No space left on device. Make room"),
        ]
        for (error, advice) in texts {
            #expect("\(error)".contains("/a/b"))
            #expect("\(error)".contains(advice))
        }
    }

    @Test func `an error of SQLite is described without its statement`() {
        let cause = DatabaseError(resultCode: .SQLITE_FULL, message: "disk is full", sql: "SELECT secret")
        let text = "\(SQLiteHTTPCacheError.failed(path: "/a/b", underlying: cause))"
        #expect(text.contains("disk is full. Make room"))
        #expect(!text.contains("secret"))
    }

    @Test(arguments: ["", "file:///tmp/cache.sqlite", "~/cache.sqlite", "/tmp/cache/"])
    func `a path that is not that of a file is refused, and creates nothing`(path: String) throws {
        let error = #expect(throws: SQLiteHTTPCacheError.self) { try SQLiteHTTPCacheStore(path: path) }
        #expect(error?.refusal?.path == path)
        #expect(error?.refusal?.reason == "it is not the path of a file")
    }
}
