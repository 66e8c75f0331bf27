import Duet
public import DuetHTTP
public import FeedFeature
public import HTTPTypes

/// `PUT v1/image/{id}?description=…&location=…` with the bytes and their media type.
///
/// The status is 201, or 204 for an image that was published before.
extension PublishImage: BodyCommand {
    /// The path below the API's base.
    public static var path: String { "v1/image/{id}" }

    /// `PUT`.
    public static var method: CommandMethod { .put }

    /// Status 201.
    public static var successStatus: HTTPResponse.Status { .created }

    /// The property in the body: the bytes.
    public static var bodyProperty: String { "data" }

    /// The bytes with their detected media type.
    public var body: HTTPBytes {
        HTTPBytes(data, mediaType: ImageFormat(data: data)?.mediaType ?? "application/octet-stream")
    }
}
