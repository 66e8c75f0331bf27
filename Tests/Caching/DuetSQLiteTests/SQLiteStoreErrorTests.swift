import DuetSQLite
import Foundation
import GRDB
import Testing

struct SQLiteStoreErrorTests {
    @Test func `each error names the file and the remedy`() {
        let cause = POSIXError(.ENOSPC)
        let texts: [(SQLiteStoreError, advice: String)] = [
            (.cannotOpen(path: "/a/b", underlying: cause), "No space left on device. Choose a file in a folder"),
            (.notOurs(path: "/a/b", reason: "it is a folder"), "It is left unchanged. Choose another path."),
            (.newerFormat(path: "/a/b", found: 3, supported: 2), "Update the program, or choose another path"),
            (.damaged(path: "/a/b", reason: "torn"), "End all programs that use it"),
            (.locked(path: "/a/b", after: .seconds(5)), "End that process or try again later."),
            (.failed(path: "/a/b", underlying: cause), "No space left on device. Make room"),
        ]
        for (error, advice) in texts {
            #expect("\(error)".contains("/a/b"))
            #expect("\(error)".contains(advice))
        }
    }

    @Test func `an error of SQLite is described without its statement`() {
        let cause = DatabaseError(resultCode: .SQLITE_FULL, message: "disk is full", sql: "SELECT secret")
        let text = "\(SQLiteStoreError.failed(path: "/a/b", underlying: cause))"
        #expect(text.contains("disk is full. Make room"))
        #expect(!text.contains("secret"))
    }

    @Test(arguments: ["", "file:///tmp/cache.sqlite", "~/cache.sqlite", "/tmp/cache/"])
    func `a path that is not that of a file is refused, and creates nothing`(path: String) async throws {
        let error = await #expect(throws: SQLiteStoreError.self) { try await SQLiteCacheStore.open(path) }
        #expect(error?.refusal?.path == path)
        #expect(error?.refusal?.reason == "it is not the path of a file")
    }
}
