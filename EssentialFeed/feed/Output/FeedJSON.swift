import FeedFeature
import Foundation

/// A loaded feed as JSON.
struct FeedJSON: Encodable {
    struct Item: Encodable {
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
    }

    struct Failure: Encodable {
        let kind: String
        let reason: String
    }

    let source: String
    let savedAt: Date?
    let failure: Failure?
    let missingImages: Int
    let items: [Item]

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
        items = page.images.map(Item.init)
    }
}

/// The contents of the cache as JSON.
struct CacheJSON: Encodable {
    let savedAt: Date?
    let isFresh: Bool
    let items: [FeedJSON.Item]

    init(_ summary: FeedCacheSummary?) {
        savedAt = summary?.savedAt
        isFresh = summary?.isFresh ?? false
        items = summary?.images.map(FeedJSON.Item.init) ?? []
    }
}

/// The comments on an image as JSON.
struct CommentsJSON: Encodable {
    struct Item: Encodable {
        let id: UUID
        let message: String
        let createdAt: Date
        let username: String
    }

    let items: [Item]

    init(_ comments: [ImageComment]) {
        items = comments.map {
            Item(id: $0.id, message: $0.message, createdAt: $0.createdAt, username: $0.username)
        }
    }
}
