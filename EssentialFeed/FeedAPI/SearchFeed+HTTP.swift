public import Duet
public import DuetHTTP
public import FeedFeature

/// `GET v1/feed/search?q=…&has_location=true&has_comments=true&published_since=…&sort=newest&limit=10`, and for a later
/// page `&after_id=…&after_comments=…`, with exactly status 200.
extension SearchFeed: LinkingQuery, Searchable, Filterable, Orderable, Pageable {
    /// A page of found images on the wire.
    public struct Payload: Codable, Sendable {
        let items: [ImageItem]
    }

    /// The route.
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
        let images = try payload.items.images()
        if let index = images.firstIndex(where: { $0.commentCount == nil }) {
            throw InvalidMessage(field: "items[\(index)].comment_count", reason: "is missing")
        }
        return FeedSearchPage(images: images, source: .remote)
    }

    /// Returns the images of the page, without their source; their dates always have milliseconds.
    public static func payload(from page: FeedSearchPage, answering query: SearchFeed, at address: String) -> Payload {
        Payload(items: page.images.map { ImageItem($0, at: address) })
    }
}
