import Foundation

/// The wire feed as a plain `Decodable` type, with the shape that the mapper expects.
struct WireFeed: Codable {
    let items: [WireItem]
}

/// An item of the wire feed.
struct WireItem: Codable {
    let id: UUID
    let description: String?
    let location: String?
    let image: URL
}
