public import Duet
public import Foundation

/// Loads the bytes of an image.
public struct LoadImageData: Query, Hashable {
    /// The bytes; never empty.
    public typealias Value = Data

    /// The image's own URL.
    public let url: URL

    /// Creates a query for the bytes at a URL.
    public init(url: URL) {
        self.url = url
    }
}
