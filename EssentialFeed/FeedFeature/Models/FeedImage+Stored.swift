public import Foundation

extension FeedImage {
    /// The width of the widest version whose bytes a store keeps, in pixels: one that fills the window of a phone.
    ///
    /// Wider ones would take the place of many others.
    public static let storedWidthLimit = 960

    /// The locations whose bytes a store keeps: the original and the small versions.
    public var storedURLs: [URL] {
        [url] + versions.filter { $0.width <= Self.storedWidthLimit }.map(\.url)
    }
}
