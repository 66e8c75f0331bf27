import Duet
public import DuetHTTP
public import FeedFeature
public import Foundation

/// `GET v1/feed/removed`, also as server-sent events.
extension LoadRemovedImages: HTTPQuery {
    /// The ids on the wire, the last removal first.
    public struct Payload: Codable, Sendable {
        let ids: [UUID]
    }

    /// The route.
    public static let route: QueryRoute<Self> = .get("v1/feed/removed").live()

    /// Returns the ids.
    public static func value(from payload: Payload, answering query: LoadRemovedImages) -> [FeedImage.ID] {
        payload.ids
    }

    /// Returns the ids as an object, to which more can be added.
    public static func payload(from ids: [FeedImage.ID], answering query: LoadRemovedImages) -> Payload {
        Payload(ids: ids)
    }
}
