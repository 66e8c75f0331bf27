import DuetHTTP
import FeedBackend
import Foundation

/// The program's own photographs, which fill the backend.
enum SampleFeed {
    /// The ids of the images, in the feed's order.
    static let ids: [String] = items.compactMap { $0["id"].string }

    /// The first image, which has comments.
    static let dandelions = "images/8112E60D-949B-5F7E-BDED-DBE3CABE2D36"

    /// A file to publish.
    static let file = FeedSeeder.samples.appending(path: "clock.jpg")

    private static let items: [JSONValue] = {
        guard let data = try? Data(contentsOf: FeedSeeder.samples.appending(path: "feed.json")) else { return [] }
        return (try? JSONDecoder().decode(JSONValue.self, from: data))?["items"].elements ?? []
    }()
}

extension JSONValue {
    /// An id as the pages write it.
    static func id(_ id: UUID) -> JSONValue { .string(id.uuidString) }
}
