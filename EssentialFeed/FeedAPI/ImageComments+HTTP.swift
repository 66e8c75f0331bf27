import Duet
public import DuetHTTP
public import FeedFeature
import Foundation
import HTTPTypes

/// `GET v1/image/{image_id}/comments`, with any status of 200…299.
extension LoadImageComments: HTTPQuery {
    /// The comments on the wire.
    public struct Payload: Codable, Sendable {
        let items: [Item]

        struct Item: Codable {
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

        struct Author: Codable {
            let username: String
        }
    }

    /// The route below the API's base.
    public static let route: QueryRoute<Self> = .get("v1/image/{image_id}/comments")
        .parameterNames(["imageID": "image_id"])

    /// Returns the comments, in the order of the payload.
    ///
    /// - Throws: `InvalidMessage` with the path to the first fault; one bad item makes the whole list invalid.
    public static func value(from payload: Payload, answering query: LoadImageComments) throws -> [ImageComment] {
        try payload.items.enumerated().map { index, item in
            guard let createdAt = Date(rfc3339: item.createdAt) else {
                throw InvalidMessage(
                    field: "items[\(index)].created_at",
                    reason: "must be a date such as 2020-05-20T11:24:59+0000"
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

    /// Returns the comments; their dates always have milliseconds.
    public static func payload(from comments: [ImageComment], answering query: LoadImageComments) -> Payload {
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        return Payload(
            items: comments.map { comment in
                Payload.Item(
                    id: comment.id,
                    message: comment.message,
                    createdAt: comment.createdAt.formatted(style),
                    author: Payload.Author(username: comment.username)
                )
            }
        )
    }
}

/// `POST v1/image/{image_id}/comments` with `{"id", "message", "username"}`, with status 201.
extension PostImageComment: HTTPCommand {
    /// The route below the API's base.
    public static let route: CommandRoute<Self> = .post("v1/image/{image_id}/comments")
        .parameterNames(["imageID": "image_id"])
        .requestHeader(.idempotencyKey, \.id.uuidString)
        .responding(with: .created)

}
