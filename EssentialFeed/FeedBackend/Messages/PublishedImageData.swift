public import FeedFeature
public import Foundation

/// The bytes of a published image, and what they are.
public struct PublishedImageData: Hashable, Sendable {
    /// The bytes, as they were published.
    public let data: Data

    /// Their format.
    public let format: ImageFormat

    /// A checksum of the bytes, from which their entity tag is made.
    public let checksum: UInt64
}
