import DuetMacros
import FeedFeature
import Foundation
import GRDB

/// Pages by position, not by offset, so that each page costs the same in a feed of any length.
@Resolvable
struct LoadFeedHandler: QueryHandler {
    let work: UnitOfWork

    func handle(_ query: LoadFeed) async throws -> FeedPage {
        let images = try await work.read { db in
            let end = try query.after.map { try db.lastPosition(of: $0) } ?? .max
            let sql = """
                SELECT \(FeedImage.columns) FROM image WHERE position < ? ORDER BY position DESC LIMIT ?
                """
            return try db.images(sql, [end, query.limit])
        }
        return FeedPage(images: images, source: .remote)
    }
}

@Resolvable
struct LoadNewestImageHandler: QueryHandler {
    let work: UnitOfWork

    func handle(_ query: LoadNewestImage) async throws -> FeedImage.ID? {
        try await work.read { db in
            try UUID.fetchOne(db, sql: "SELECT id FROM image ORDER BY position DESC LIMIT 1")
        }
    }
}

@Resolvable
struct LoadNeighborsHandler: QueryHandler {
    let work: UnitOfWork

    func handle(_ query: LoadNeighbors) async throws -> ImageNeighbors {
        try await work.read { db in
            let position = try db.lastPosition(of: query.id)
            let newer = "SELECT id FROM image WHERE position > ? ORDER BY position LIMIT 1"
            let older = "SELECT id FROM image WHERE position < ? ORDER BY position DESC LIMIT 1"
            return ImageNeighbors(
                previous: try db.first(newer, [position]),
                next: try db.first(older, [position])
            )
        }
    }
}

@Resolvable
struct LoadImageDetailsHandler: QueryHandler {
    let work: UnitOfWork

    func handle(_ query: LoadImageDetails) async throws -> FeedImage {
        try await work.read { db in
            let sql = "SELECT \(FeedImage.columns) FROM image WHERE id = ?"
            if let image = try db.images(sql, [query.id]).first { return image }
            throw try db.absence(of: query.id)
        }
    }
}
