import Duet
import FeedFeature
import FeedServing
import Foundation
import HTTPTypes
import Hummingbird

/// `GET /v1/feed` and `GET /health`.
struct FeedRoutes {
    let links: ImageLinks

    func add(to router: Router<ScopedRequestContext>) {
        router.get("/v1/feed") { request, context in
            let query = try QueryString(of: request)
            let images = try await context.dispatcher.dispatch(
                LoadPublishedImages(
                    after: query.uuid("after_id"),
                    limit: query.number("limit", in: LoadFeed.limits) ?? 10
                )
            )
            return try Response.json(Page(images, prefix: links.prefix(for: request)))
        }
        router.get("/health") { _, context in
            _ = try await context.dispatcher.dispatch(LoadPublishedImages(limit: 1))
            return try Response.json(["status": "ok"])
        }
    }

    private struct Page: Encodable {
        let items: [Item]

        init(_ images: [PublishedImage], prefix: String) {
            items = images.map { image in
                let id = image.id.uuidString
                return Item(id: id, description: image.description, location: image.location, image: prefix + id)
            }
        }
    }

    private struct Item: Encodable {
        let id: String
        let description: String?
        let location: String?
        let image: String
    }
}
