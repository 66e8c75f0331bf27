public import Foundation

/// The bytes of a published image, and what they are.
public struct PublishedImageData: Hashable, Sendable {
    /// The bytes, as they were published.
    public let data: Data

    /// Their format.
    public let format: ImageFormat

    /// A checksum of the bytes; equal bytes have the same.
    public let checksum: UInt64

    /// Makes a value of its parts.
    public init(data: Data, format: ImageFormat, checksum: UInt64) {
        self.data = data
        self.format = format
        self.checksum = checksum
    }
}
