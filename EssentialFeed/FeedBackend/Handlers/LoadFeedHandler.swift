import DuetMacros
package import FeedFeature
package import Foundation
import GRDB

/// Pages by position, not by offset, so that each page costs the same in a feed of any length.
@Resolvable
struct LoadFeedHandler: QueryHandler {
    let work: UnitOfWork
    let links: ImageLinks

    func handle(_ query: LoadFeed) async throws -> FeedPage {
        let images = try await work.read { db in
            var end = Int64.max
            if let id = query.after {
                guard let position = try db.position(of: id) ?? db.position(ofRemoved: id) else {
                    throw ImageNotFound(id: id)
                }
                end = position
            }
            let sql = "SELECT id, description, location FROM image WHERE position < ? ORDER BY position DESC LIMIT ?"
            let rows = try Row.fetchCursor(db.cachedStatement(sql: sql), arguments: [end, query.limit])
            return try Array(
                rows.map { row in
                    let id = try row.decode(UUID.self, atIndex: 0)
                    return FeedImage(
                        id: id,
                        description: try row.decode(atIndex: 1),
                        location: try row.decode(atIndex: 2),
                        url: try links.url(of: id)
                    )
                }
            )
        }
        return FeedPage(images: images, source: .remote)
    }
}

/// Loads the image at the top of the feed.
@Resolvable
struct LoadNewestImageHandler: QueryHandler {
    let work: UnitOfWork

    func handle(_ query: LoadNewestImage) async throws -> FeedImage.ID? {
        try await work.read { db in
            try UUID.fetchOne(db, sql: "SELECT id FROM image ORDER BY position DESC LIMIT 1")
        }
    }
}

/// Creates the URLs of the images' bytes, based on the backend's public address or on the host of the request.
package struct ImageLinks: Sendable {
    private let prefix: String

    /// - Parameter base: The beginning of the URLs, with or without a trailing slash.
    package init(base: String) {
        var base = base[...]
        while base.last == "/" { base.removeLast() }
        prefix = base + "/v1/image/"
    }

    /// - Throws: `InvalidMessage` when the request's host cannot be part of a URL.
    package func url(of image: FeedImage.ID) throws -> URL {
        guard let url = URL(string: prefix + image.uuidString) else {
            throw InvalidMessage(field: "The Host field", reason: "must hold a host name, with or without a port")
        }
        return url
    }
}
