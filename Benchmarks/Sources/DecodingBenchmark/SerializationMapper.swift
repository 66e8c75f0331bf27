import FeedFeature
import Foundation

/// Reads the feed with `JSONSerialization` and maps its dictionaries.
enum SerializationMapper {
    static func map(_ data: Data) throws -> [FeedImage] {
        guard let root = try JSONSerialization.jsonObject(with: data) as? [String: Any],
            let items = root["items"] as? [[String: Any]]
        else { throw WrongFeed() }
        return try items.map { item in
            guard let id = (item["id"] as? String).flatMap(UUID.init(uuidString:)),
                let url = (item["image"] as? String).flatMap(URL.init(string:))
            else { throw WrongFeed() }
            return FeedImage(
                id: id,
                description: item["description"] as? String,
                location: item["location"] as? String,
                url: url
            )
        }
    }
}
