public import DuetHTTP
public import FeedFeature
public import Foundation
public import HTTPTypes

/// What can be asked of the server, and how each looks as an HTTP request.
@nonexhaustive
public enum FeedEndpoint: Sendable {
    /// A page of the feed: the first one, or the one after an image.
    case feed(after: FeedImage.ID? = nil, limit: Int = 10)

    /// The comments on an image.
    case comments(imageID: FeedImage.ID)

    /// A new comment.
    case postComment(PostImageComment)

    /// A new image.
    case publishImage(PublishImage)

    /// The removal of an image.
    case removeImage(RemoveImage)

    /// The request to a server, with its body if it has one.
    ///
    /// - Throws: `EncodingError` when a text cannot be written as JSON.
    public func request(baseURL base: BaseURL) throws -> (request: HTTPRequest, body: Data?) {
        switch self {
        case .feed(let after, let limit):
            (base.request(.get, "/v1/feed", ["limit": "\(limit)", "after_id": after?.uuidString]), nil)
        case .comments(let imageID):
            (base.request(.get, "/v1/image/\(imageID)/comments"), nil)
        case .postComment(let command):
            (
                base.request(.post, "/v1/image/\(command.imageID)/comments", contentType: "application/json"),
                try JSONEncoder().encode(CommentBody(command))
            )
        case .publishImage(let command):
            (
                base.request(
                    .put,
                    "/v1/image/\(command.id)",
                    ["description": command.description, "location": command.location],
                    contentType: ImageFormat(data: command.data)?.mediaType ?? "application/octet-stream"
                ),
                command.data
            )
        case .removeImage(let command):
            (base.request(.delete, "/v1/image/\(command.id)"), nil)
        }
    }
}

/// A comment as the server takes it.
private struct CommentBody: Encodable {
    let id: UUID
    let message: String
    let username: String

    init(_ command: PostImageComment) {
        id = command.id
        message = command.message
        username = command.username
    }
}
