import DuetHTTPCaching
import DuetSQLite
import DuetTesting
import FeedTesting
import Foundation
import GRDB
import Synchronization
import Testing

/// What removes any number of responses commits now and then, so that others get their turn.
@Suite(.timeLimit(.minutes(2)))
struct SQLiteHTTPCacheStepsTests {
    private static let count = 600
    private let directory: TemporaryDirectory
    private let commits = Commits()
    /// Has room for a few, and its commits counted.
    private let small: HTTPCacheStoreSubject

    init() async throws {
        directory = try TemporaryDirectory()
        let path = directory.path("cache.sqlite")
        small = HTTPCacheStoreSubject(
            try SQLiteHTTPCacheStore(path: path, capacity: 10_000, prepare: commits.count)
        )
        let large = HTTPCacheStoreSubject(try SQLiteHTTPCacheStore(path: path))
        for number in 1...Self.count { try await large.insert(number, Data("\(number)".utf8)) }
    }

    @Test func `storing drives out any number of them`() async throws {
        let before = commits.current

        try await small.insert(0, Data("0".utf8))

        #expect(commits.current - before >= 3)
        #expect(try await small.store.size() <= 10_000)
        #expect(try await small.store.entries(for: HTTPCacheStoreSubject.key(0)).count == 1)
    }

    @Test func `removing a prefix takes any number of them`() async throws {
        let before = commits.current

        try await small.store.removeAll(prefix: "http://store.invalid/")

        #expect(commits.current - before >= 3)
        #expect(try await small.store.size() == 0)
    }
}

/// How often a store has committed.
private final class Commits: Sendable {
    private let number = Atomic(0)

    var current: Int { number.load(ordering: .relaxed) }

    func count(on database: Database) {
        database.trace { [self] event in
            if "\(event)".hasPrefix("COMMIT") { number.add(1, ordering: .relaxed) }
        }
    }
}
