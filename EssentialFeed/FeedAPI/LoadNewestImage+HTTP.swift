import Duet
public import DuetHTTP
public import FeedFeature
public import Foundation

/// `GET v1/feed/newest`, also as server-sent events.
extension LoadNewestImage: HTTPQuery {
    /// The id on the wire; an empty feed has none.
    public struct Payload: Codable, Sendable {
        let id: UUID?
    }

    /// The route.
    public static let route: QueryRoute<Self> = .get("v1/feed/newest").live()

    /// Returns the id.
    public static func value(from payload: Payload, answering query: LoadNewestImage) -> FeedImage.ID? { payload.id }

    /// Returns the id as an object, to which more can be added.
    public static func payload(from id: FeedImage.ID?, answering query: LoadNewestImage) -> Payload { Payload(id: id) }
}
