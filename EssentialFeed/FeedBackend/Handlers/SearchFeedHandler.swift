import DuetMacros
import FeedFeature
import Foundation
import GRDB

/// Pages by keyset, not by offset: a page begins after a position in the query's order, so that images which appear or
/// disappear meanwhile neither repeat nor hide others.
@Resolvable
struct SearchFeedHandler: QueryHandler {
    let work: UnitOfWork

    func handle(_ query: SearchFeed) async throws -> FeedSearchPage {
        try checkStorable(query.searchText, field: "q")
        let images = try await work.read { db in
            let statement = try SearchStatement(query, start: query.page.map { try db.start(after: $0) })
            return try db.images(statement.sql, statement.arguments)
        }
        return FeedSearchPage(images: images, source: .remote)
    }
}

extension Database {
    /// Returns the place of a cursor in the orders of the feed, also if its image was removed.
    ///
    /// - Throws: `ImageNotFound` if there never was such an image.
    fileprivate func start(after cursor: FeedCursor) throws -> SearchStatement.Start {
        let sql = """
            SELECT position, comment_count FROM image WHERE id = ?
            UNION ALL SELECT position, comment_count FROM removed_image WHERE id = ?
            """
        let arguments: StatementArguments = [cursor.imageID, cursor.imageID]
        guard let row = try Row.fetchOne(cachedStatement(sql: sql), arguments: arguments) else {
            throw ImageNotFound(id: cursor.imageID)
        }
        return SearchStatement.Start(
            position: try row.decode(atIndex: 0),
            commentCount: try cursor.commentCount ?? row.decode(atIndex: 1)
        )
    }
}
