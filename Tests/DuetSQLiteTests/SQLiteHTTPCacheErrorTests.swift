import DuetSQLite
import Foundation
import Testing

struct SQLiteHTTPCacheErrorTests {
    @Test func `each error names the file and says what to do`() {
        let cause = POSIXError(.ENOSPC)
        let texts: [(SQLiteHTTPCacheError, advice: String)] = [
            (.folderUnavailable(path: "/a/b", underlying: cause), "Choose a folder that can be made and written to."),
            (.otherContent(path: "/a/b", reason: "it is a folder"), "Choose another place for the cache."),
            (.newerFormat(path: "/a/b", found: 3, supported: 2), "Update the program, or choose another place"),
            (.damaged(path: "/a/b", reason: "torn"), "Ask the origin again, and check the disk if this comes again."),
            (.locked(path: "/a/b", after: .seconds(5)), "End that process or try again later."),
            (.logHeld(path: "/a/b", bytes: 7), "End that program"),
            (.responseGone(path: "/a/b"), "Ask the origin again."),
            (.failed(path: "/a/b", underlying: cause), "Make room, or let this program write there"),
        ]
        for (error, advice) in texts {
            #expect("\(error)".contains("/a/b"))
            #expect("\(error)".contains(advice))
        }
    }

    @Test(arguments: ["", "file:///tmp/cache.sqlite", "~/cache.sqlite", "/tmp/cache/"])
    func `what cannot be meant as a path is refused, and makes nothing`(path: String) throws {
        let error = #expect(throws: SQLiteHTTPCacheError.self) { try SQLiteHTTPCacheStore(path: path) }
        #expect(error?.refusal?.path == path)
        #expect(!FileManager.default.fileExists(atPath: path + ".lock"))
    }

    @Test func `what the system says is told in its words, without the rest`() throws {
        let system = NSError(domain: NSPOSIXErrorDomain, code: Int(EROFS))
        let cocoa = NSError(
            domain: NSCocoaErrorDomain,
            code: 642,
            userInfo: [NSFilePathErrorKey: "/secret", NSUnderlyingErrorKey: system]
        )
        let text = "\(SQLiteHTTPCacheError.folderUnavailable(path: "/a", underlying: cocoa))"
        #expect(
            text
                == "The HTTP cache cannot be kept in /a: Read-only file system. Choose a folder that can be made and written to."
        )
    }
}
