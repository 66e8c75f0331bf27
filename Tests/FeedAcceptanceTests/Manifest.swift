import FeedBackend
import Foundation

/// What the bundled photographs' manifest says, read by itself: the acceptance tests compare with it.
struct Manifest: Decodable {
    struct Item: Decodable {
        let id: UUID
        let description: String?
        let location: String?
        let image: String
        let comments: [Comment]
    }

    struct Comment: Decodable {
        let message: String
        let username: String
    }

    let items: [Item]

    static func load() throws -> Manifest {
        try JSONDecoder().decode(
            Manifest.self,
            from: Data(contentsOf: FeedSeeder.samples.appending(path: "feed.json"))
        )
    }
}
