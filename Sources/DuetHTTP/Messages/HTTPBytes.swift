public import Foundation
import HTTPTypes

/// Bytes with their media type: a body that is not JSON, such as an image.
public struct HTTPBytes: Hashable, Sendable, Codable {
    /// The bytes.
    public let data: Data

    /// What they are, as in `image/png`.
    public let mediaType: String

    /// A strong entity tag without its quotes, where one is known; otherwise a server makes one of the bytes.
    public let entityTag: String?

    /// Makes bytes of a media type.
    public init(_ data: Data, mediaType: String, entityTag: String? = nil) {
        self.data = data
        self.mediaType = mediaType
        self.entityTag = entityTag
    }

    /// Whether a field holds the media type as it is.
    var hasSendableType: Bool { !mediaType.isEmpty && HTTPField.isValidValue(mediaType) }
}
