import DuetHTTPCaching
import DuetSQLite
import DuetTesting
import FeedTesting
import Foundation
import GRDB
import Testing

/// Several stores with one file that is damaged, in this process and in others.
@Suite(.serialized, .timeLimit(.minutes(5))) struct SQLiteHTTPCacheSharingTests {
    @Test func `a damaged file that another process uses stays, and requests continue without it`() async throws {
        let scene = try OpenedStore()
        let old = try await scene.subject.insert(1, OpenedStore.bytes)
        try await scene.inDatabase { try $0.execute(sql: "DROP TABLE state") }

        let other = try ReportingProcess("HTTPCacheWriter", ["ask", scene.path, "2"])
        #expect(try other.wait(forSteps: 1), "its request failed")
        try other.finish()

        #expect(other.kill() == 1, "it reports that it works without its store")
        #expect(!scene.isSetAside)
        // A store that has it open reads as long as it can, and then sets it aside.
        try await scene.subject.expect(body: OpenedStore.bytes, of: old.id)
        await #expect(throws: SQLiteHTTPCacheError.self) { try await scene.subject.insert(3, OpenedStore.bytes) }
        #expect(scene.isSetAside)
        let new = try await scene.subject.insert(4, OpenedStore.bytes)
        try await scene.subject.expect(body: OpenedStore.bytes, of: new.id)
        #expect(scene.losses.all.count == 1)
    }

    @Test func `a store that works without its damaged file uses a new one after everything is removed`() async throws {
        let scene = try OpenedStore(busyTimeout: .milliseconds(30))
        try await scene.subject.insert(1, OpenedStore.bytes)
        let other = try ReportingProcess("HTTPCacheWriter", ["open", scene.path, "2"])
        #expect(try other.wait(forSteps: 1))
        try await scene.inDatabase { try $0.execute(sql: "DROP TABLE state") }

        for _ in 1...2 {
            let error = await #expect(throws: SQLiteHTTPCacheError.self) { try await scene.subject.store.size() }
            guard case .damagedInUse(scene.path, reason: _) = try #require(error) else {
                Issue.record("expected damagedInUse, found \(String(describing: error))")
                continue
            }
        }
        await #expect(throws: SQLiteHTTPCacheError.self) { try await scene.subject.store.removeAll() }
        #expect(!scene.isSetAside)
        try other.finish()
        try await scene.subject.store.removeAll()

        let new = try await scene.subject.insert(3, OpenedStore.bytes)
        try await scene.subject.expect(body: OpenedStore.bytes, of: new.id)
        #expect(!scene.isSetAside, "what is removed is not kept there either")
    }

    @Test(arguments: 1...3)
    func `processes that open a damaged file at the same time set it aside once, and all use the new one`(
        round: Int
    ) async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("cache.sqlite")
        try await HTTPCacheStoreSubject(SQLiteHTTPCacheStore(path: path)).insert(9, OpenedStore.bytes)
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
        let subject = try HTTPCacheStoreSubject(SQLiteHTTPCacheStore(path: path))
        for number in 1...6 {
            let entry = try #require(try await subject.store.entries(for: HTTPCacheStoreSubject.key(number)).first)
            try await subject.expect(body: HTTPCacheStoreSubject.bytes(number, count: 600_000), of: entry.id)
        }
    }

    @Test(arguments: 1...3)
    func `stores that find their file damaged at the same time set it aside once, and all use the new one`(
        round: Int
    ) async throws {
        let scene = try OpenedStore(busyTimeout: .seconds(20))
        let losses = (1...6).map { _ in Losses() }
        let subjects = try losses.map {
            try HTTPCacheStoreSubject(SQLiteHTTPCacheStore(path: scene.path, busyTimeout: .seconds(20), onLoss: $0.add))
        }
        try await scene.inDatabase { try $0.execute(sql: "DROP TABLE state") }

        await withTaskGroup(of: Void.self) { group in
            for subject in subjects + [scene.subject] {
                group.addTask {
                    _ = await #expect(throws: SQLiteHTTPCacheError.self) { try await subject.store.size() }
                }
            }
        }

        let found = (losses + [scene.losses]).map(\.all)
        #expect(found.joined().count == 1, "\(found)")
        for (number, subject) in subjects.enumerated() { try await subject.insert(number, Data("\(number)".utf8)) }
        for subject in subjects {
            for number in subjects.indices {
                #expect(try await subject.store.entries(for: HTTPCacheStoreSubject.key(number)).count == 1)
            }
        }
    }
}
