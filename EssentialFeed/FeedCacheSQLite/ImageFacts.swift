import FeedFeature
import Foundation

/// The facts of an image that have no column in the database; they are stored as JSON.
struct ImageFacts: Codable {
    let caption: String?
    let author: String?
    let publishedAt: Date?
    let commentCount: Int?
    let size: ImageSize?
    let color: ImageColor?
    /// Nil in facts of earlier versions.
    let isAnimated: Bool?
    let versions: [ImageVersion]

    /// Creates the facts of an image; nil for one without any.
    init?(_ image: FeedImage) {
        guard image != FeedImage(id: image.id, description: image.description, location: image.location, url: image.url)
        else { return nil }
        (caption, author, publishedAt) = (image.caption, image.author, image.publishedAt)
        (commentCount, size, color) = (image.commentCount, image.size, image.color)
        (isAnimated, versions) = (image.isAnimated, image.versions)
    }
}
