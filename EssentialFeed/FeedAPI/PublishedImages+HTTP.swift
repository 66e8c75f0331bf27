import Duet
public import DuetHTTP
public import FeedFeature
public import HTTPTypes

/// `GET v1/image/{id}`, with the bytes of the image as the response's body.
extension LoadPublishedImageData: HTTPQuery {
    /// The path below the API's base.
    public static var path: String { "v1/image/{id}" }

    /// Fresh for a day, because the bytes of an id never change.
    public static var responseHeaders: HTTPFields { [.cacheControl: "public, max-age=86400"] }

    /// Returns the bytes and their format.
    ///
    /// - Throws: `InvalidMessage` when they are not an image.
    public static func value(
        from payload: HTTPBytes,
        answering query: LoadPublishedImageData
    ) throws -> PublishedImageData {
        guard let format = ImageFormat(data: payload.data) else {
            throw InvalidMessage(field: "body", reason: "must be a JPEG, PNG, GIF or WebP image")
        }
        return PublishedImageData(data: payload.data, format: format)
    }

    /// Returns the bytes with their media type; the server adds a digest of them as the entity tag.
    public static func payload(from image: PublishedImageData, answering query: LoadPublishedImageData) -> HTTPBytes {
        HTTPBytes(image.data, mediaType: image.format.mediaType)
    }
}

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

/// `DELETE v1/image/{id}`, with status 204.
extension RemoveImage: HTTPCommand {
    /// The path below the API's base.
    public static var path: String { "v1/image/{id}" }

    /// `DELETE`.
    public static var method: CommandMethod { .delete }
}
