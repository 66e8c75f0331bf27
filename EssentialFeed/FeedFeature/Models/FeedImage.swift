public import Foundation

/// One image of the feed.
///
/// Everything but id and URL is optional, also on the wire, because feeds of other servers may lack it.
public struct FeedImage: Hashable, Identifiable, Sendable {
    /// The id, chosen by the publisher.
    public let id: UUID

    /// The content of the picture in words, for people who do not see it.
    public let description: String?

    /// The publisher's words beside the picture.
    public let caption: String?

    /// The place where the image was taken.
    public let location: String?

    /// The publisher's display name.
    public let author: String?

    /// The time of publication.
    public let publishedAt: Date?

    /// The number of comments when the server sent this image; comments that are posted later do not change it.
    public let commentCount: Int?

    /// The size in pixels, as the image is shown.
    public let size: ImageSize?

    /// The color in place of the image while it is loaded.
    public let color: ImageColor?

    /// Whether the original moves, so that screens show it only on request; false if it is unknown.
    public let isAnimated: Bool

    /// Still versions, the smallest first; none is larger than the original.
    public let versions: [ImageVersion]

    /// The location of the original bytes; always with a scheme.
    public let url: URL

    /// Creates an image.
    public init(
        id: UUID,
        description: String? = nil,
        caption: String? = nil,
        location: String? = nil,
        author: String? = nil,
        publishedAt: Date? = nil,
        commentCount: Int? = nil,
        size: ImageSize? = nil,
        color: ImageColor? = nil,
        isAnimated: Bool = false,
        versions: [ImageVersion] = [],
        url: URL
    ) {
        self.id = id
        self.description = description
        self.caption = caption
        self.location = location
        self.author = author
        self.publishedAt = publishedAt
        self.commentCount = commentCount
        self.size = size
        self.color = color
        self.isAnimated = isAnimated
        self.versions = versions
        self.url = url
    }
}

extension [FeedImage] {
    /// The size in memory, for caches, in bytes.
    package var approximateSize: Int {
        reduce(0) { size, image in
            let texts = [image.description, image.caption, image.location, image.author].compactMap(\.self)
            return texts.reduce(size) { $0 + $1.utf8.count } + 256 * (1 + image.versions.count)
        }
    }
}

/// The size of an image in pixels.
public struct ImageSize: Hashable, Codable, Sendable {
    /// The width, at least 1.
    public let width: Int

    /// The height, at least 1.
    public let height: Int

    /// Creates a size; nil for numbers that no image has.
    public init?(width: Int, height: Int) {
        guard width > 0, height > 0, width.multipliedReportingOverflow(by: height).overflow == false,
            width * height <= ImageFile.pixelLimit
        else { return nil }
        self.init(width, height)
    }

    init(_ width: Int, _ height: Int) {
        self.width = width
        self.height = height
    }
}

/// A color of the sRGB color space.
public struct ImageColor: Hashable, Codable, Sendable, CustomStringConvertible {
    /// The amounts of red, green and blue, as in `#2f4f8a`.
    public let description: String

    /// Creates a color from its text; nil for other texts than a number sign and six hexadecimal digits.
    public init?(_ text: String) {
        guard text.utf8.count == 7, text.utf8.first == UInt8(ascii: "#"),
            text.utf8.dropFirst().allSatisfy({ Character(UnicodeScalar($0)).isHexDigit })
        else { return nil }
        description = text
    }
}

/// A version of an image that is not larger, as a still WebP file.
public struct ImageVersion: Hashable, Codable, Sendable {
    /// The width in pixels.
    public let width: Int

    /// The location of the bytes.
    public let url: URL

    /// Creates a version.
    public init(width: Int, url: URL) {
        self.width = width
        self.url = url
    }
}
