public import Duet
public import Foundation

/// Loads the bytes of the first location whose bytes are in the store, without the network; nil if there are none.
public struct LoadKeptImageData: Query, Hashable {
    /// The bytes.
    public typealias Value = Data?

    /// The locations of the bytes, the best first.
    public let urls: [URL]

    /// Creates a query for these locations.
    public init(urls: [URL]) {
        self.urls = urls
    }
}
