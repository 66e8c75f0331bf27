import FeedAPI
import FeedFeature
import Foundation
import GRDB

extension FeedImage {
    /// The columns of the table `image` that make an image.
    static let columns = """
        id, description, caption, location, author, published_at, comment_count, width, height, color, is_animated, hash,
        (SELECT group_concat(version) FROM
            (SELECT width || ' ' || hash AS version FROM image_version WHERE image = position ORDER BY width))
        """

    fileprivate init(_ row: Row) throws {
        let id = try row.decode(UUID.self, atIndex: 0)
        let (width, height) = (try row.decode(Int?.self, atIndex: 7), try row.decode(Int?.self, atIndex: 8))
        let versions = try row.decode(String?.self, atIndex: 12)?.split(separator: ",") ?? []
        self.init(
            id: id,
            description: try row.decode(atIndex: 1),
            caption: try row.decode(atIndex: 2),
            location: try row.decode(atIndex: 3),
            author: try row.decode(atIndex: 4),
            publishedAt: try row.decode(Int64?.self, atIndex: 5).map(Date.init(millisecondsSince1970:)),
            commentCount: try row.decode(atIndex: 6),
            size: width.flatMap { width in height.flatMap { ImageSize(width: width, height: $0) } },
            color: try row.decode(String?.self, atIndex: 9).flatMap(ImageColor.init),
            isAnimated: try row.decode(atIndex: 10),
            versions: try versions.compactMap { version in
                let parts = version.split(separator: " ")
                guard parts.count == 2, let width = Int(parts[0]) else { return nil }
                return ImageVersion(width: width, url: try Self.url(of: id, "?width=\(width)&hash=\(parts[1])"))
            },
            url: try Self.url(of: id, row.decode(String?.self, atIndex: 11).map { "?hash=\($0)" } ?? "")
        )
    }

    /// The URL of an image's bytes, with the beginning of their hash, so that other bytes have another URL.
    private static func url(of image: FeedImage.ID, _ query: String) throws -> URL {
        guard let url = URL(string: "\(URL.backendAddress)/v1/image/\(image.uuidString)\(query)") else {
            throw InvalidMessage(field: "hash", reason: "cannot be a part of a URL")
        }
        return url
    }
}

extension Database {
    /// Returns the images of a statement that selects ``FeedFeature/FeedImage/columns``.
    func images(_ sql: String, _ arguments: StatementArguments) throws -> [FeedImage] {
        let rows = try Row.fetchCursor(cachedStatement(sql: sql), arguments: arguments)
        return try Array(rows.map { try FeedImage($0) })
    }
}
