import Duet
public import DuetHTTP
public import FeedFeature
import Foundation
public import HTTPTypes

/// `POST v1/image/{image_id}/comments` with `{"id", "message", "username"}`, answered with 201.
extension PostImageComment: HTTPCommand {
    /// The path below the API's base.
    public static var path: String { "v1/image/{image_id}/comments" }

    /// `POST`.
    public static var method: CommandMethod { .post }

    /// `image_id` for the image.
    public static var parameterNames: [String: String] { ["imageID": "image_id"] }

    /// 201.
    public static var successStatus: HTTPResponse.Status { .created }

    /// The comment's id as `Idempotency-Key`: posting it twice does no harm, so a client may try again.
    public var requestHeaders: HTTPFields { [.idempotencyKey: id.uuidString] }
}
