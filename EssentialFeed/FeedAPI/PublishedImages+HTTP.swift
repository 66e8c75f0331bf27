public import Duet
public import DuetHTTP
public import FeedFeature
import HTTPTypes

/// `GET v1/image/{id}?width=480&hash=…`, with the bytes as the response's body; without a width, those of the original.
extension LoadPublishedImageData: HTTPQuery {
    /// The route.
    public static let route: QueryRoute<Self> = .get("v1/image/{id}")
        .responseHeaders([.cacheControl: "private, max-age=86400, immutable"])

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

/// `PUT v1/image/{id}?description=…&caption=…&location=…&refuse_duplicate=true` with the bytes and their media type.
///
/// The status is 201, or 204 for an image that was published before. It is 409 if the id belongs to another picture,
/// and with `refuse_duplicate=true` also if another image has the same bytes.
extension PublishImage: BodyCommand {
    /// The route.
    public static let route: CommandRoute<Self> = .put("v1/image/{id}").bodyProperty("data").responding(with: .created)
        .parameterNames(["refusesDuplicate": "refuse_duplicate"])

    /// The bytes with their detected media type.
    public var body: HTTPBytes {
        HTTPBytes(data, mediaType: ImageFormat(data: data)?.mediaType ?? "application/octet-stream")
    }
}

/// `DELETE v1/image/{id}`, with status 204.
extension RemoveImage: HTTPCommand {
    /// The route.
    public static let route: CommandRoute<Self> = .delete("v1/image/{id}")
}

/// `GET v1/image/{id}/details`, with the texts of the image and the addresses of its bytes.
extension LoadImageDetails: HTTPQuery, LinkingQuery {
    /// The image on the wire.
    public struct Payload: Codable, Sendable {
        let item: ImageItem

        /// Reads the image.
        public init(from decoder: any Decoder) throws { item = try ImageItem(from: decoder) }

        fileprivate init(_ image: FeedImage, at address: String) { item = ImageItem(image, at: address) }

        /// Writes the image.
        public func encode(to encoder: any Encoder) throws { try item.encode(to: encoder) }
    }

    /// The route.
    public static let route: QueryRoute<Self> = .get("v1/image/{id}/details")

    /// Returns the image.
    ///
    /// - Throws: `InvalidMessage` with the path to the first fault.
    public static func value(from payload: Payload, answering query: LoadImageDetails) throws -> FeedImage {
        try payload.item.image(at: "")
    }

    /// Returns the image on the wire.
    public static func payload(from image: FeedImage, answering query: LoadImageDetails, at address: String) -> Payload
    {
        Payload(image, at: address)
    }
}

/// `GET v1/image/{id}/neighbors`, with `{"previous": …, "next": …}`, of which an end of the feed has only one.
extension LoadNeighbors: HTTPQuery {
    /// The route.
    public static let route: QueryRoute<Self> = .get("v1/image/{id}/neighbors")
}

/// `PATCH v1/image/{id}/details` with `{"description"?, "caption"?, "location"?}`, with status 204.
///
/// As in a JSON merge patch (RFC 7396), an absent member leaves its text as it is. An empty string removes the text;
/// null has the meaning of an absent member.
extension CorrectImage: HTTPCommand {
    /// The route.
    public static let route: CommandRoute<Self> = .patch("v1/image/{id}/details")
}
