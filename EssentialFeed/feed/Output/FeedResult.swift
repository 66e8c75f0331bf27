import FeedFeature
import Foundation

package struct FeedResult: Codable {
    struct Failure: Codable {
        let kind: String
        let reason: String
    }

    let source: String
    let savedAt: Date?
    let failure: Failure?
    let missingImages: Int
    let hasMore: Bool
    let items: [ImageResult]

    init(_ loaded: FeedPager.Loaded) {
        let page = loaded.page
        (source, savedAt) =
            switch page.source {
            case .remote: ("remote", nil)
            case .cache(let date): ("cache", date)
            default: ("nowhere", nil)
            }
        failure = page.failure.map { Failure(kind: "\($0.kind)", reason: $0.reason) }
        missingImages = loaded.missingImages
        hasMore = loaded.hasMore
        items = page.images.map { ImageResult($0) }
    }
}

package struct ImageResult: Codable {
    struct Version: Codable {
        let width: Int
        let url: URL
    }

    /// The bytes of a loaded image.
    struct Bytes {
        let data: Data
        /// The file to which they were written.
        let file: String?
    }

    let id: UUID
    let description: String?
    let caption: String?
    let location: String?
    let author: String?
    let publishedAt: Date?
    let commentCount: Int?
    let width: Int?
    let height: Int?
    let isAnimated: Bool
    let url: URL
    let versions: [Version]
    let bytes: Int?
    let mediaType: String?
    let file: String?

    init(_ image: FeedImage, bytes: Bytes? = nil) {
        id = image.id
        description = image.description
        caption = image.caption
        location = image.location
        author = image.author
        publishedAt = image.publishedAt
        commentCount = image.commentCount
        width = image.size?.width
        height = image.size?.height
        isAnimated = image.isAnimated
        url = image.url
        versions = image.versions.map { Version(width: $0.width, url: $0.url) }
        self.bytes = bytes?.data.count
        mediaType = bytes.flatMap { ImageFormat(data: $0.data)?.mediaType }
        file = bytes?.file
    }
}
