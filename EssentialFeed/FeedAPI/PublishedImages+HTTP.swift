import Duet
public import DuetHTTP
public import FeedFeature
import HTTPTypes

/// `GET v1/image/{id}`, with the bytes of the image as the response's body.
extension LoadPublishedImageData: HTTPQuery {
    /// The route below the API's base.
    public static let route: QueryRoute<Self> = .get("v1/image/{id}")
        .responseHeaders([.cacheControl: "public, max-age=86400"])

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
    /// The route below the API's base.
    public static let route: CommandRoute<Self> = .put("v1/image/{id}").bodyProperty("data").responding(with: .created)

    /// The bytes with their detected media type.
    public var body: HTTPBytes {
        HTTPBytes(data, mediaType: ImageFormat(data: data)?.mediaType ?? "application/octet-stream")
    }
}

/// `DELETE v1/image/{id}`, with status 204.
extension RemoveImage: HTTPCommand {
    /// The route below the API's base.
    public static let route: CommandRoute<Self> = .delete("v1/image/{id}")

}
