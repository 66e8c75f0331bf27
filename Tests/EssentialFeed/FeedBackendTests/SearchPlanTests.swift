import Duet
import FeedBackend
import FeedFeature
import FeedTesting
import Foundation
import GRDB
import Testing

/// How SQLite finds the pages, in a feed of 100,000 images.
///
/// The plans show that no page sorts the feed, and that a page begins at its first image.
@Suite(.serialized) struct SearchPlanTests {
    private let backend: TestBackend
    private let database: DatabaseQueue

    init() async throws {
        backend = try await TestBackend()
        database = try DatabaseQueue(path: backend.folder.path("feed.sqlite"))
        try await database.write { db in
            try db.execute(
                sql: """
                    WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 100000)
                    INSERT INTO image (id, description, location, comment_count, published_at, search_text)
                    SELECT
                        randomblob(16), 'Image ' || n, iif(n % 3, NULL, 'Place'), n % 1000, n,
                        'image ' || n || iif(n % 3, '', char(10) || 'place')
                    FROM number;
                    ANALYZE;
                    """
            )
        }
    }

    private func plan(_ sql: String, _ arguments: StatementArguments) async throws -> [String] {
        try await database.read { db in
            try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN \(sql)", arguments: arguments).map { $0["detail"] }
        }
    }

    private func plan(_ query: SearchFeed, after start: SearchStatement.Start? = nil) async throws -> [String] {
        let statement = SearchStatement(query, start: start)
        return try await plan(statement.sql, statement.arguments)
    }

    @Test func `no page sorts the images, whatever its text and its filter`() async throws {
        let filters = [nil, FeedFilter(hasLocation: true, hasComments: true, publishedSince: TestBackend.now)]
        for order in FeedOrder.allCases {
            for text in [nil, "two words"] {
                for filter in filters {
                    for start in [nil, SearchStatement.Start(position: 50_000, commentCount: 500)] {
                        let plan = try await plan(SearchFeed(text, filter: filter, order: order), after: start)
                        let images = plan.filter { $0.hasSuffix(" image") || $0.contains(" image USING") }
                        #expect(images.count == 1, "\(plan)")
                        #expect(!plan.joined().contains("TEMP B-TREE"), "\(plan)")
                    }
                }
            }
        }
    }

    @Test func `a later page begins at its first image, and so does one of the feed`() async throws {
        let start = SearchStatement.Start(position: 50_000, commentCount: 500)
        for (order, range) in [
            (FeedOrder.newest, "INTEGER PRIMARY KEY (rowid<?)"), (.oldest, "INTEGER PRIMARY KEY (rowid>?)"),
            (.mostCommented, "INDEX image_by_rank (rank<?)"),
        ] {
            for text in [nil, "place"] {
                let plan = try await plan(SearchFeed(text, order: order), after: start)
                #expect(plan.first == "SEARCH image USING \(range)")
            }
        }
        let sql = "SELECT id, description, location FROM image WHERE position < ? ORDER BY position DESC LIMIT ?"
        #expect(try await plan(sql, [50_000, 10]) == ["SEARCH image USING INTEGER PRIMARY KEY (rowid<?)"])
    }

    @Test func `a search of a hundred thousand images finds the only one, and none`() async throws {
        #expect(try await backend.dispatcher.dispatch(SearchFeed("IMAGE 54321")).images.count == 1)
        #expect(try await backend.dispatcher.dispatch(SearchFeed("nothing", order: .mostCommented)).images.isEmpty)
        let filter = FeedFilter(publishedSince: Date(timeIntervalSince1970: 99.999))
        #expect(try await backend.dispatcher.dispatch(SearchFeed(filter: filter, limit: 100)).images.count == 2)
    }
}
