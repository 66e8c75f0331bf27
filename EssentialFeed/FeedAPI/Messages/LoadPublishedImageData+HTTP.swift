import Duet
public import DuetHTTP
public import FeedFeature
public import HTTPTypes

/// `GET v1/image/{id}`, answered with the bytes of the image.
extension LoadPublishedImageData: HTTPQuery {
    /// The path below the API's base.
    public static var path: String { "v1/image/{id}" }

    /// The bytes of an id never change, so that a day is no risk.
    public static var responseHeaders: HTTPFields { [.cacheControl: "public, max-age=86400"] }

    /// The bytes, if they are an image.
    ///
    /// - Throws: `InvalidMessage` when they are none.
    public static func value(
        from payload: HTTPBytes,
        answering query: LoadPublishedImageData
    ) throws -> PublishedImageData {
        guard let format = ImageFormat(data: payload.data) else {
            throw InvalidMessage(field: "body", reason: "must be a JPEG, PNG, GIF or WebP image")
        }
        return PublishedImageData(data: payload.data, format: format, checksum: Checksum.of(payload.data))
    }

    /// The bytes with their media type, and the checksum as their entity tag.
    public static func payload(from image: PublishedImageData, answering query: LoadPublishedImageData) -> HTTPBytes {
        HTTPBytes(image.data, mediaType: image.format.mediaType, entityTag: String(image.checksum, radix: 16))
    }
}
