public import Duet
public import Foundation

/// Asks for the bytes of an image.
public struct LoadImageData: Query, Hashable {
    /// The bytes, not empty.
    public typealias Value = Data

    /// Where the image says its bytes are.
    public let url: URL

    /// Asks for the bytes at a URL.
    public init(url: URL) {
        self.url = url
    }
}
