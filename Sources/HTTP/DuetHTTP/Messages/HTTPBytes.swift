public import Foundation
import HTTPTypes

/// Bytes with their media type: a body that is not JSON, such as an image.
public struct HTTPBytes: Hashable, Sendable, Codable {
    /// The bytes.
    public let data: Data

    /// The media type, such as `image/png`.
    public let mediaType: String

    /// A strong entity tag without quotes, or nil to let a server compute one.
    public let entityTag: String?

    /// Creates bytes of a media type.
    public init(_ data: Data, mediaType: String, entityTag: String? = nil) {
        self.data = data
        self.mediaType = mediaType
        self.entityTag = entityTag
    }

    var hasSendableType: Bool { !mediaType.isEmpty && HTTPField.isValidValue(mediaType) }
}
