public import Duet
public import DuetHTTP
public import FeedFeature

/// `GET v1/feed?limit=10[&after_id=…]`, with exactly status 200.
extension LoadFeed: HTTPQuery, LinkingQuery {
    /// A page of the feed on the wire.
    public struct Payload: Codable, Sendable {
        let items: [ImageItem]
    }

    /// The route.
    public static let route: QueryRoute<Self> = .get("v1/feed")
        .parameterNames(["after": "after_id"])
        .parameterDefaults(["limit": "10"])
        .acceptedStatuses(200...200)

    /// Returns the page, in the order of the payload.
    ///
    /// - Throws: `InvalidMessage` with the path to the first fault; one bad item makes the whole page invalid.
    public static func value(from payload: Payload, answering query: LoadFeed) throws -> FeedPage {
        FeedPage(images: try payload.items.images(), source: .remote)
    }

    /// Returns the images of the page, without their source.
    public static func payload(from page: FeedPage, answering query: LoadFeed, at address: String) -> Payload {
        Payload(items: page.images.map { ImageItem($0, at: address) })
    }
}
