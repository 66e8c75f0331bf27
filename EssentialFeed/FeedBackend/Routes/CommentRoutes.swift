import Duet
import FeedFeature
import FeedServing
import Foundation
import HTTPTypes
import Hummingbird

/// `GET` and `POST /v1/image/{id}/comments`.
struct CommentRoutes {
    func add(to router: Router<ScopedRequestContext>) {
        router.get("/v1/image/:id/comments") { _, context in
            let comments = try await context.dispatcher.dispatch(LoadImageComments(imageID: context.imageID))
            return try Response.json(Comments(comments))
        }
        router.post("/v1/image/:id/comments") { request, context in
            let imageID = try context.imageID
            let comment = try await request.json(as: NewComment.self)
            try await context.dispatcher.dispatch(
                PostImageComment(
                    id: comment.id,
                    imageID: imageID,
                    message: comment.message,
                    username: comment.username
                )
            )
            return Response(status: .created)
        }
    }

    private struct NewComment: Decodable {
        let id: UUID
        let message: String
        let username: String
    }

    private struct Comments: Encodable {
        let items: [Item]

        init(_ comments: [ImageComment]) {
            let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
            items = comments.map { comment in
                Item(
                    id: comment.id.uuidString,
                    message: comment.message,
                    created_at: comment.createdAt.formatted(style),
                    author: Author(username: comment.username)
                )
            }
        }
    }

    private struct Item: Encodable {
        let id: String
        let message: String
        let created_at: String
        let author: Author
    }

    private struct Author: Encodable {
        let username: String
    }
}
