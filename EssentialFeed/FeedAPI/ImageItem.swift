import FeedFeature
import Foundation

/// An image on the wire, the same in each response.
struct ImageItem: Codable {
    struct Author: Codable {
        let username: String
    }

    struct Version: Codable {
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
    let commentCount: Int?
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

    /// - Parameter address: The address of the server, at which it has its own images.
    init(_ image: FeedImage, at address: String) {
        id = image.id.uuidString
        description = image.description
        caption = image.caption
        location = image.location
        self.image = image.url.text(at: address)
        author = image.author.map(Author.init)
        publishedAt = image.publishedAt?.wireText
        commentCount = image.commentCount
        width = image.size?.width
        height = image.size?.height
        color = image.color?.description
        animated = image.isAnimated ? true : nil
        versions =
            image.versions.isEmpty
            ? nil : image.versions.map { Version(width: $0.width, image: $0.url.text(at: address)) }
    }

    /// Returns the image.
    ///
    /// A size or a color that no image has is left out, because the image can be shown without it.
    ///
    /// - Throws: `InvalidMessage` with the path to the first fault.
    func image(at path: String) throws -> FeedImage {
        if let commentCount, commentCount < 0 {
            throw InvalidMessage(field: "\(path)comment_count", reason: "must be 0 or more")
        }
        guard let id = UUID(uuidString: id) else { throw InvalidMessage(field: "\(path)id", reason: "must be a UUID") }
        return FeedImage(
            id: id,
            description: description,
            caption: caption,
            location: location,
            author: author?.username,
            publishedAt: try publishedAt.map { try Date(wireText: $0, at: "\(path)published_at") },
            commentCount: commentCount,
            size: width.flatMap { width in height.flatMap { ImageSize(width: width, height: $0) } },
            color: color.flatMap(ImageColor.init),
            isAnimated: animated ?? false,
            versions: try (versions ?? []).enumerated().map { index, version in
                ImageVersion(
                    width: version.width,
                    url: try URL(wireText: version.image, at: "\(path)versions[\(index)].image")
                )
            },
            url: try URL(wireText: image, at: "\(path)image")
        )
    }
}

extension [ImageItem] {
    /// Returns the images, in the order of the payload.
    ///
    /// - Throws: `InvalidMessage` with the path to the first fault; one bad item makes the whole page invalid.
    func images() throws -> [FeedImage] {
        try enumerated().map { try $1.image(at: "items[\($0)].") }
    }
}
