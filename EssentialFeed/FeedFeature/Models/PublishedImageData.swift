public import Foundation

/// The bytes of a published image and their format.
public struct PublishedImageData: Hashable, Sendable {
    /// The bytes, as they were published.
    public let data: Data

    /// The format of the bytes.
    public let format: ImageFormat

    /// Creates a value from bytes of a known format.
    public init(data: Data, format: ImageFormat) {
        self.data = data
        self.format = format
    }
}
