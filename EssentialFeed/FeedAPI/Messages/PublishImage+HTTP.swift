import Duet
public import DuetHTTP
public import FeedFeature
public import HTTPTypes

/// `PUT v1/image/{id}?description=…&location=…` with the bytes and their media type, answered with 201, or 204 when it was there.
extension PublishImage: BodyCommand {
    /// The path below the API's base.
    public static var path: String { "v1/image/{id}" }

    /// `PUT`.
    public static var method: CommandMethod { .put }

    /// 201.
    public static var successStatus: HTTPResponse.Status { .created }

    /// The bytes are read from the body.
    public static var bodyProperty: String { "data" }

    /// The bytes with the media type that they show themselves to have.
    public var body: HTTPBytes {
        HTTPBytes(data, mediaType: ImageFormat(data: data)?.mediaType ?? "application/octet-stream")
    }
}
