import DuetContracts
import DuetHTTPCaching
import DuetSQLite
import DuetTesting
import FeedTesting
import Foundation
import GRDB
import Testing

/// Several stores with one file that is damaged, in this process and in others.
@Suite(.serialized, .timeLimit(.minutes(5))) struct SQLiteHTTPCacheSharingTests {
    @Test func `a damaged file that another process uses stays, until that process ends`() async throws {
        let scene = try await OpenedStore()
        let path = scene.path
        let other = try ReportingProcess("HTTPCacheWriter", ["open", path, "2"])
        #expect(try other.wait(forSteps: 1))
        try await scene.inDatabase { try $0.execute(sql: "DROP TABLE state") }
        let next = path + ".next"
        try FileManager.default.createSymbolicLink(atPath: next, withDestinationPath: path)

        let error = await #expect(throws: SQLiteStoreError.self) {
            try await SQLiteHTTPCacheStore(path: next, busyTimeout: .milliseconds(30))
        }

        guard case .damaged(path, reason: _) = try #require(error) else {
            Issue.record("expected damaged, found \(String(describing: error))")
            return
        }
        #expect(!scene.isSetAside)
        try other.finish()
        #expect(other.kill() == 0, "it has lost nothing")
    }

    @Test(arguments: 1...3)
    func `processes that open a damaged file at the same time set it aside once, and all use the new one`(
        round: Int
    ) async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("cache.sqlite")
        do { try await HTTPCacheStoreSubject(SQLiteHTTPCacheStore(path: path)).insert(9, OpenedStore.bytes) }
        let damaging = try DatabaseQueue.other(at: path)
        try await damaging.write { try $0.execute(sql: "DROP TABLE state") }
        // No process begins before all have started.
        try await damaging.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
        let processes = try (1...6).map { try ReportingProcess("HTTPCacheWriter", ["open", path, "\($0)"]) }

        try damaging.close()

        for process in processes { #expect(try process.wait(forSteps: 1)) }
        for process in processes { try process.finish() }
        #expect(
            processes.reduce(0) { $0 + $1.kill() } == 1,
            "one has lost what was there, and none what came after it"
        )
        try await OpenedStore.inDatabase(at: path + ".unreadable") {
            let uris = try String.fetchAll($0, sql: "SELECT uri FROM entry")
            #expect(uris == [HTTPCacheStoreSubject.key(9).uri])
        }
        let subject = try await HTTPCacheStoreSubject(SQLiteHTTPCacheStore(path: path))
        for number in 1...6 {
            let entry = try #require(try await subject.store.entries(for: HTTPCacheStoreSubject.key(number)).first)
            try await subject.expect(body: HTTPCacheStoreSubject.bytes(number, count: 600_000), of: entry.id)
        }
    }
}
