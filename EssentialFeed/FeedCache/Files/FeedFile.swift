import FeedFeature
import Foundation

/// The feed as the file store writes it.
///
/// Version 1 had no locations; its images are read without one. Dates are coded as Foundation codes them by default,
/// which alone keeps every bit.
struct FeedFile: Codable {
    /// The version of the schema that this program writes, and the newest that it reads.
    static let version = 2

    let version: Int
    private let timestamp: Date
    private let images: [Image]

    init(_ feed: CachedFeed) {
        version = Self.version
        timestamp = feed.timestamp
        images = feed.images.map(Image.init)
    }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        version = try values.decode(Int.self, forKey: .version)
        // Looked at first: what a newer version wrote need not have the other keys.
        guard version <= Self.version else { throw NewerVersion(found: version) }
        timestamp = try values.decode(Date.self, forKey: .timestamp)
        images = try values.decode([Image].self, forKey: .images)
    }

    var feed: CachedFeed {
        CachedFeed(images: images.map(\.model), timestamp: timestamp)
    }

    struct NewerVersion: Error {
        let found: Int
    }

    private struct Image: Codable {
        let id: UUID
        let description: String?
        let location: String?
        let url: URL

        init(_ image: FeedImage) {
            id = image.id
            description = image.description
            location = image.location
            url = image.url
        }

        var model: FeedImage { FeedImage(id: id, description: description, location: location, url: url) }
    }
}
