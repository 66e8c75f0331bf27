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
