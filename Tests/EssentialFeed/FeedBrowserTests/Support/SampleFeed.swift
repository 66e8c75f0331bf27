import DuetHTTP
import FeedBackend
import Foundation

/// The program's own photographs, which fill the backend.
enum SampleFeed {
    /// The ids of the images, in the feed's order.
    static let ids: [String] = items.compactMap { $0["id"].string }

    /// The first image, which has comments.
    static let cat = "images/7BC6B6AD-36CE-538F-8CC5-DF0FE69DE0F0"

    /// A file to publish.
    static let file = FeedSeeder.samples.appending(path: "rocket.jpg")

    private static let items: [JSONValue] = {
        guard let data = try? Data(contentsOf: FeedSeeder.samples.appending(path: "feed.json")) else { return [] }
        return (try? JSONDecoder().decode(JSONValue.self, from: data))?["items"].elements ?? []
    }()
}

extension JSONValue {
    /// An id as the pages write it.
    static func id(_ id: UUID) -> JSONValue { .string(id.uuidString) }
}
