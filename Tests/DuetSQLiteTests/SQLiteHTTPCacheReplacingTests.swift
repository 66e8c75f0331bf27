import DuetHTTP
import DuetHTTPCaching
import DuetSQLite
import DuetTesting
import FeedTesting
import Foundation
import GRDB
import Testing

/// What happens when several find the same file damaged or gone, in this process and in others.
@Suite(.serialized) struct SQLiteHTTPCacheReplacingTests {
    @Test(arguments: 1...5)
    func `of processes that open a damaged file at once one puts it aside, and all go on with one`(
        round: Int
    ) async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("cache.sqlite")
        try await HTTPCacheStoreSubject(SQLiteHTTPCacheStore(path: path)).insert(9, OpenedStore.bytes)
        // Which takes a while to be found.
        try await OpenedStore.inDatabase(at: path) { try $0.execute(sql: "DROP TABLE state") }
        let start = try HeldLock(path + ".lock")
        let processes = try (1...6).map { try ReportingProcess("HTTPCacheWriter", ["open", path, "\($0)"]) }

        start.release()

        for process in processes { #expect(try process.wait(forSteps: 1)) }
        for process in processes { try process.finish() }
        #expect(
            processes.reduce(0) { $0 + $1.kill() } == 1,
            "one has lost what was there, and nobody what came after it"
        )
        try await OpenedStore.inDatabase(at: path + ".unreadable") {
            let uris = try String.fetchAll($0, sql: "SELECT uri FROM entry")
            #expect(uris == [HTTPCacheStoreSubject.key(9).uri])
        }
        let subject = try HTTPCacheStoreSubject(SQLiteHTTPCacheStore(path: path))
        for number in 1...6 {
            let entry = try #require(try await subject.store.entries(for: HTTPCacheStoreSubject.key(number)).first)
            try await subject.expect(body: HTTPCacheStoreSubject.bytes(number, count: 300_000), of: entry.id)
        }
    }

    @Test(arguments: 1...10)
    func `of stores that find their file damaged at once one puts it aside, and all go on with one`(
        round: Int
    ) async throws {
        let scene = try OpenedStore()
        let losses = (1...6).map { _ in Losses() }
        let subjects = try losses.map {
            try HTTPCacheStoreSubject(SQLiteHTTPCacheStore(path: scene.path, onLoss: $0.add))
        }
        try await scene.inDatabase { try $0.execute(sql: "DROP TABLE state") }

        try await withThrowingTaskGroup(of: Int64.self) { group in
            for subject in subjects { group.addTask { try await subject.store.size() } }
            for try await size in group { #expect(size == 0) }
        }

        let found = losses.map(\.all)
        #expect(found.allSatisfy { $0.count == 1 }, "\(found)")
        #expect(found.joined().count { if case .database = $0 { true } else { false } } == 1, "\(found)")
        for (number, subject) in subjects.enumerated() { try await subject.insert(number, Data("\(number)".utf8)) }
        for subject in subjects {
            for number in subjects.indices {
                #expect(try await subject.store.entries(for: HTTPCacheStoreSubject.key(number)).count == 1)
            }
        }
        #expect(losses.map(\.all.count).allSatisfy { $0 == 1 })
    }

    @Test(arguments: ["another process puts it aside", "it is deleted", "it is moved"])
    func `who reads a body reads it to its end although the file goes`(way: String) async throws {
        let scene = try OpenedStore()
        let old = try await scene.subject.insert(1, OpenedStore.bytes)
        let body = try #require(try await scene.subject.store.body(of: old.id, in: nil))
        var pieces = body.makeAsyncIterator()
        var found = try await pieces.next() ?? Data()

        var process: ReportingProcess?
        switch way {
        case "it is deleted":
            for suffix in ["", "-wal", "-shm"] { try FileManager.default.removeItem(atPath: scene.path + suffix) }
        case "it is moved":
            for suffix in ["", "-wal", "-shm"] {
                try FileManager.default.moveItem(atPath: scene.path + suffix, toPath: scene.path + ".old" + suffix)
            }
        default:
            try await scene.inDatabase { try $0.execute(sql: "DROP TABLE state") }
            process = try ReportingProcess("HTTPCacheWriter", ["open", scene.path, "2"])
            #expect(try process?.wait(forSteps: 1) == true)
        }
        // It is seen, and another file opened, while the body is being read.
        try await scene.subject.expect([], for: HTTPCacheStoreSubject.key(1))
        if process != nil {
            #expect(try await scene.subject.store.entries(for: HTTPCacheStoreSubject.key(2)).count == 1)
        }
        let new = try await scene.subject.insert(3, Data("new".utf8))
        while let piece = try await pieces.next() { found += piece }

        #expect(found == OpenedStore.bytes)
        // Once more, from its beginning, by several at a time.
        try await withThrowingTaskGroup(of: Data.self) { group in
            for _ in 0..<20 {
                group.addTask { try await body.collect(upTo: .max, orThrow: CancellationError()) }
            }
            for try await found in group { #expect(found == OpenedStore.bytes) }
        }
        try await scene.subject.expect(body: nil, of: old.id)
        try await scene.subject.expect(body: Data("new".utf8), of: new.id)
        #expect(scene.losses.all == [.file(path: scene.path)])
    }

    @Test func `a file that another takes the place of leaves it nothing of its log`() async throws {
        let scene = try OpenedStore()
        for number in 1...3 { try await scene.subject.insert(number, OpenedStore.bytes) }
        let other = scene.path + ".other"
        do {
            let store = try HTTPCacheStoreSubject(SQLiteHTTPCacheStore(path: other))
            try await store.insert(4, OpenedStore.bytes)
        }
        try await OpenedStore.inDatabase(at: other) { _ = try $0.checkpoint(.truncate) }

        // The log and what SQLite shares in memory stay where they were.
        #expect(unsafe rename(other, scene.path) == 0)

        try await scene.subject.expect([], for: HTTPCacheStoreSubject.key(1))
        let entry = try #require(try await scene.subject.store.entries(for: HTTPCacheStoreSubject.key(4)).first)
        try await scene.subject.expect(body: OpenedStore.bytes, of: entry.id)
        #expect(scene.losses.all == [.file(path: scene.path)])
        try await scene.inDatabase {
            let state = try String.fetchOne($0, sql: "PRAGMA integrity_check")
            #expect(state == "ok")
        }
    }
}
