import Foundation

/// The wire feed as one writes it down for `JSONDecoder`, and as the mapper has it.
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
