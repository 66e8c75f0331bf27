import Duet
public import DuetHTTP
public import FeedFeature
import Foundation

/// `GET v1/feed/search?q=…&has_location=true&has_comments=true&published_since=…&sort=newest&limit=10`, and for a later
/// page `&after_id=…&after_comments=…`, with exactly status 200.
extension SearchFeed: Searchable, Filterable, Orderable, Pageable {
    /// A page of found images on the wire.
    public struct Payload: Codable, Sendable {
        let items: [Item]

        struct Item: Codable {
            let id: UUID
            let description: String?
            let location: String?
            let image: URL
            let publishedAt: String?
            let commentCount: Int

            enum CodingKeys: String, CodingKey {
                case id
                case description
                case location
                case image
                case publishedAt = "published_at"
                case commentCount = "comment_count"
            }
        }
    }

    /// The route below the API's base.
    public static let route: QueryRoute<Self> = .get("v1/feed/search")
        .parameterNames([
            "searchText": "q", "order": "sort",
            "hasLocation": "has_location", "hasComments": "has_comments", "publishedSince": "published_since",
            "imageID": "after_id", "commentCount": "after_comments",
        ])
        .parameterDefaults(["sort": FeedOrder.newest.rawValue, "limit": "10"])
        .acceptedStatuses(200...200)

    /// Returns the page, in the order of the payload.
    ///
    /// - Throws: `InvalidMessage` with the path to the first fault; one bad item makes the whole page invalid.
    public static func value(from payload: Payload, answering query: SearchFeed) throws -> FeedSearchPage {
        let images = try payload.items.enumerated().map { index, item in
            let path = "items[\(index)]"
            guard item.commentCount >= 0 else {
                throw InvalidMessage(field: "\(path).comment_count", reason: "must be 0 or more")
            }
            return FoundImage(
                FeedImage(
                    id: item.id,
                    description: item.description,
                    location: item.location,
                    url: try item.image.checked(at: "\(path).image")
                ),
                publishedAt: try item.publishedAt.map { try Date(wireText: $0, at: "\(path).published_at") },
                commentCount: item.commentCount
            )
        }
        return FeedSearchPage(images: images, source: .remote)
    }

    /// Returns the images of the page, without their source; their dates always have milliseconds.
    public static func payload(from page: FeedSearchPage, answering query: SearchFeed) -> Payload {
        Payload(
            items: page.images.map { found in
                Payload.Item(
                    id: found.id,
                    description: found.image.description,
                    location: found.image.location,
                    image: found.image.url,
                    publishedAt: found.publishedAt?.wireText,
                    commentCount: found.commentCount ?? 0
                )
            }
        )
    }
}
