package import FeedCache
import FeedFeature
package import Foundation

/// The nth feed that the helper program saves; a mixture of two feeds differs from both.
package struct GeneratedFeed {
    private let generation: Int

    package init(_ generation: Int) {
        self.generation = generation
    }

    package var feed: CachedFeed {
        CachedFeed(
            images: (0..<20 + generation % 7).map { n in
                FeedImage(id: .fixture(n), description: "\(generation)", location: "\(n)", url: url(n))
            },
            timestamp: Date(timeIntervalSinceReferenceDate: Double(generation))
        )
    }

    /// The images whose bytes are saved with this feed: one whose URL stays, and one whose URL is new.
    package var imagesWithData: [URL] { [url(0), url(1)] }

    package static func data(for url: URL) -> Data {
        Data(repeating: UInt8(truncatingIfNeeded: url.absoluteString.utf8.count), count: 5_000) + Data(url.path.utf8)
    }

    private func url(_ n: Int) -> URL {
        .fixture(n.isMultiple(of: 2) ? n : generation * 1_000 + n)
    }
}
