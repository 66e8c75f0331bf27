import FeedBackend
import Foundation

/// The manifest of the bundled photographs, decoded independently for comparison.
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
