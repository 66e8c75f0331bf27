public import FeedFeature
public import Foundation
public import HTTPTypes

/// Reads a page of the feed from the server's answer.
public enum FeedItemsMapper {
    private struct Root: Decodable {
        let items: [Item]
    }

    private struct Item: Decodable {
        let id: UUID
        let description: String?
        let location: String?
        let image: URL
    }

    /// The images in the order of the answer, whose status must be 200.
    ///
    /// - Throws: ``RemoteFailure`` of the kind `invalidData` that names the path to the first fault; one bad item
    ///   spoils the whole answer.
    public static func map(_ data: Data, from response: HTTPResponse) throws -> [FeedImage] {
        try Answer.check(response, data, statuses: 200...200)
        let items = try Answer.decode(Root.self, from: data).items
        return try items.enumerated().map { index, item in
            guard item.image.scheme != nil else {
                throw RemoteFailure.invalidData("items[\(index)].image must be a URL with a scheme")
            }
            return FeedImage(id: item.id, description: item.description, location: item.location, url: item.image)
        }
    }
}
