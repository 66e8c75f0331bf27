import DuetHTTP
public import FeedFeature
public import Foundation
public import HTTPTypes

/// Reads the comments on an image from the server's answer.
public enum ImageCommentsMapper {
    private struct Root: Decodable {
        let items: [Item]
    }

    private struct Item: Decodable {
        let id: UUID
        let message: String
        let createdAt: String
        let author: Author

        enum CodingKeys: String, CodingKey {
            case id
            case message
            case createdAt = "created_at"
            case author
        }
    }

    private struct Author: Decodable {
        let username: String
    }

    /// The comments in the order of the answer, whose status must be one of 200…299.
    ///
    /// - Throws: ``RemoteFailure`` of the kind `invalidData` that names the path to the first fault; one bad item
    ///   spoils the whole answer.
    public static func map(_ data: Data, from response: HTTPResponse) throws -> [ImageComment] {
        try Answer.check(response, data, statuses: 200...299)
        let items = try Answer.decode(Root.self, from: data).items
        return try items.enumerated().map { index, item in
            guard let createdAt = Date(rfc3339: item.createdAt) else {
                throw RemoteFailure.invalidData(
                    "items[\(index)].created_at must be a date such as 2020-05-20T11:24:59+0000"
                )
            }
            return ImageComment(
                id: item.id,
                message: item.message,
                createdAt: createdAt,
                username: item.author.username
            )
        }
    }
}
