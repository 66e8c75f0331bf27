import Foundation
import GRDB

/// An item of a page.
struct HandWrittenItem: Encodable {
    struct Author: Encodable {
        let username: String
    }

    struct Version: Encodable {
        let width: Int
        let image: String
    }

    let id: String
    let description: String?
    let caption: String?
    let location: String?
    let image: String
    let author: Author?
    let publishedAt: String?
    let commentCount: Int
    let width: Int?
    let height: Int?
    let color: String?
    let animated: Bool?
    let versions: [Version]?

    enum CodingKeys: String, CodingKey {
        case id, description, caption, location, image, author
        case publishedAt = "published_at"
        case commentCount = "comment_count"
        case width, height, color, animated, versions
    }

    init(_ row: Row, prefix: String) {
        id = (row[0] as UUID).uuidString
        description = row[1]
        caption = row[2]
        location = row[3]
        author = (row[4] as String?).map(Author.init)
        publishedAt = (row[5] as Int64?).map { milliseconds in
            Date(timeIntervalSince1970: Double(milliseconds) / 1_000)
                .ISO8601Format(.init(includingFractionalSeconds: true))
        }
        commentCount = row[6]
        width = row[7]
        height = row[8]
        color = row[9]
        animated = row[10] ? true : nil
        let address = prefix + id
        image = address + ((row[11] as String?).map { "?hash=\($0)" } ?? "")
        versions = (row[12] as String?)?.split(separator: ",").compactMap { version in
            let parts = version.split(separator: " ")
            return Int(parts[0]).map { Version(width: $0, image: "\(address)?width=\($0)&hash=\(parts[1])") }
        }
    }
}
