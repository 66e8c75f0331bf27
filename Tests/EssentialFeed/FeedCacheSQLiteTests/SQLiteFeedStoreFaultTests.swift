import DuetSQLite
import FeedCache
import FeedCacheSQLite
import FeedFeature
import FeedTesting
import Foundation
import GRDB
import Testing

@Suite(.serialized) struct SQLiteFeedStoreFaultTests {
    /// One trigger for each kind of change that a command makes, and for some of the changed rows.
    private static let triggers = [
        "INSERT ON feed", "DELETE ON feed", "INSERT ON imageData", "DELETE ON imageData",
        "INSERT ON feedImage WHEN new.position = 0", "INSERT ON feedImage WHEN new.position = 1",
        "INSERT ON feedImage WHEN new.position = 150", "INSERT ON feedImage WHEN new.position = 297",
        "DELETE ON feedImage WHEN old.position = 0", "DELETE ON feedImage WHEN old.position = 3",
    ]

    @Test(arguments: FeedStoreFaultContract.allCases)
    func `the cache stays whole whichever statement fails`(clause: FeedStoreFaultContract) async throws {
        let failed = try await clause.verify(
            steps: 1...Self.triggers.count,
            open: { try await SQLiteFeedStore(url: $0.appending(component: "feed.sqlite")) },
            openFaulty: { directory, step in
                let url = directory.appending(component: "feed.sqlite")
                let store = try await SQLiteFeedStore(url: url)
                let other = try DatabaseQueue.other(at: url)
                try other.inDatabase { database in
                    let trigger = "CREATE TRIGGER fault BEFORE \(Self.triggers[step - 1])"
                    try database.execute(sql: "\(trigger) BEGIN SELECT RAISE(ABORT, 'injected'); END")
                }
                return FeedStoreFaultContract.Faulty(
                    store,
                    heal: { try other.inDatabase { try $0.execute(sql: "DROP TRIGGER fault") } }
                )
            }
        )

        let expected =
            switch clause {
            case .`a failed insertion leaves the previous cache`, .`a failed save leaves the previous cache`: 1...10
            case .`a failed deletion leaves the previous cache`: 2...10
            case .`a failed appending leaves the previous cache`: 7...8
            case .`failed bytes leave the previous bytes`: 3...3
            }
        #expect(failed.allSatisfy { expected.contains($0) } && !failed.isEmpty)
        let least =
            switch clause {
            case .`failed bytes leave the previous bytes`: 1
            case .`a failed appending leaves the previous cache`: 2
            default: 4
            }
        #expect(failed.count >= least)
    }

    @Test(arguments: [
        FeedStoreFaultContract.`a failed insertion leaves the previous cache`,
        .`a failed appending leaves the previous cache`, .`a failed save leaves the previous cache`,
        .`failed bytes leave the previous bytes`,
    ])
    func `the cache stays whole wherever the disk is full`(clause: FeedStoreFaultContract) async throws {
        let failed = try await clause.verify(
            steps: 1...50,
            open: { try await SQLiteFeedStore(url: $0.appending(component: "feed.sqlite")) },
            openFaulty: { directory, step in
                let url = directory.appending(component: "feed.sqlite")
                // While this store is open, the write-ahead log exists, so opening another one needs no page.
                let keeper = try await SQLiteFeedStore(url: url)
                let store = try await SQLiteFeedStore(
                    url: url,
                    prepare: { database in
                        let pages = try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
                        try database.execute(sql: "PRAGMA max_page_count = \(pages + step - 1)")
                    }
                )
                return FeedStoreFaultContract.Faulty(store, heal: { withExtendedLifetime(keeper) {} })
            }
        )

        #expect(failed.count >= 3)
        #expect(failed == Array(1...failed.count), "each limit of pages fails until it is large enough")
        #expect(failed.last != 50, "the largest limit of pages is large enough")
    }

    @Test func `a full disk is an error that names the file and the remedy`() async throws {
        let directory = try TemporaryDirectory()
        let url = directory.appending("feed.sqlite")
        let keeper = try await SQLiteFeedStore(url: url)
        let store = try await SQLiteFeedStore(url: url, prepare: { try $0.execute(sql: "PRAGMA max_page_count = 1") })

        let error = await #expect(throws: SQLiteStoreError.self) {
            try await store.insert(FeedImage.fixtures(0..<1_000), timestamp: .fixture)
        }

        guard case .failed(url.path, let underlying) = error else {
            Issue.record("expected failed, found \(String(describing: error))")
            return
        }
        #expect((underlying as? DatabaseError)?.resultCode == .SQLITE_FULL)
        #expect("\(try #require(error))".contains("Make room if the disk is full"))
        #expect(try await keeper.retrieve() == nil)
    }
}
