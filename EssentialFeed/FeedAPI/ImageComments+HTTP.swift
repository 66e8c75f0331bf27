import Duet
public import DuetHTTP
public import FeedFeature
import Foundation
import HTTPTypes

/// `GET v1/image/{image_id}/comments?limit=50[&before_id=…]`, with any status of 200…299, also as server-sent events.
extension LoadImageComments: HTTPQuery {
    /// The comments on the wire.
    public struct Payload: Codable, Sendable {
        let items: [Item]
        /// Absent from servers that ignore the parameters, and respond with all comments.
        let hasEarlier: Bool?

        enum CodingKeys: String, CodingKey {
            case items
            case hasEarlier = "has_earlier"
        }

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

    /// The route.
    public static let route: QueryRoute<Self> = .get("v1/image/{image_id}/comments")
        .parameterNames(["imageID": "image_id", "before": "before_id"])
        .live()

    /// Returns the page, in the order of the payload.
    ///
    /// - Throws: `InvalidMessage` with the path to the first fault; one bad item makes the whole list invalid.
    public static func value(from payload: Payload, answering query: LoadImageComments) throws -> ImageCommentPage {
        let comments = try payload.items.enumerated().map { index, item in
            ImageComment(
                id: item.id,
                message: item.message,
                createdAt: try Date(wireText: item.createdAt, at: "items[\(index)].created_at"),
                username: item.author.username
            )
        }
        return payload.hasEarlier.map { ImageCommentPage(comments: comments, hasEarlier: $0) }
            ?? ImageCommentPage(of: comments, answering: query)
    }

    /// Returns the page; the dates always have milliseconds.
    public static func payload(from page: ImageCommentPage, answering query: LoadImageComments) -> Payload {
        Payload(
            items: page.comments.map { comment in
                Payload.Item(
                    id: comment.id,
                    message: comment.message,
                    createdAt: comment.createdAt.wireText,
                    author: Payload.Author(username: comment.username)
                )
            },
            hasEarlier: page.hasEarlier
        )
    }
}

/// `POST v1/image/{image_id}/comments` with `{"id", "message", "username"}`, with status 201, or 409 if the id belongs
/// to another comment.
extension PostImageComment: HTTPCommand {
    /// The route.
    public static let route: CommandRoute<Self> = .post("v1/image/{image_id}/comments")
        .parameterNames(["imageID": "image_id"])
        .requestHeader(.idempotencyKey, \.id.uuidString)
        .responding(with: .created)
}

/// `DELETE v1/image/{image_id}/comments/{id}`, with status 204.
extension RemoveImageComment: HTTPCommand {
    /// The route.
    public static let route: CommandRoute<Self> = .delete("v1/image/{image_id}/comments/{id}")
        .parameterNames(["imageID": "image_id"])
}
