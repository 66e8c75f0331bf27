import Duet
public import DuetHTTP
public import FeedFeature
import Foundation
public import HTTPTypes

/// `POST v1/image/{image_id}/comments` with `{"id", "message", "username"}`, with status 201.
extension PostImageComment: HTTPCommand {
    /// The path below the API's base.
    public static var path: String { "v1/image/{image_id}/comments" }

    /// `POST`.
    public static var method: CommandMethod { .post }

    /// `image_id` for the image.
    public static var parameterNames: [String: String] { ["imageID": "image_id"] }

    /// Status 201.
    public static var successStatus: HTTPResponse.Status { .created }

    /// The comment's id as `Idempotency-Key`, because posting it twice has no effect and a client may retry.
    public var requestHeaders: HTTPFields { [.idempotencyKey: id.uuidString] }
}
