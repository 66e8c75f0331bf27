import FeedFeature
import Foundation

/// The file store's format of the feed.
///
/// Version 1 had no locations; its images are read without one. Dates have Foundation's default coding, the only one
/// that keeps every bit.
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
        // Checked first, because a newer version's file may not have the other keys.
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

/// The file store's format of one image's bytes, together with their URL.
struct ImageDataFile: Codable {
    let url: URL
    let data: Data

    /// The file name for a URL: the same in every process, and valid in every file system.
    ///
    /// The name is the checksum of the URL's bytes. If two URLs have the same one, the URL in the file decides, and the
    /// other image is loaded again.
    static func name(for url: URL) -> String {
        String(Checksum.of(url.absoluteString.utf8), radix: 16) + ".plist"
    }

    /// Whether a file's name is one of ``name(for:)``, or that of such a file while it is being written.
    static func isName(_ name: String) -> Bool {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return UInt64(parts[0], radix: 16) != nil && [["plist"], ["plist", "new"]].contains(Array(parts.dropFirst()))
    }
}
