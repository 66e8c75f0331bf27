public import FeedFeature
public import Foundation

/// Refuses bytes that are no image, so that they are neither shown nor cached.
public struct ValidatingFeedImageDataLoader: FeedImageDataLoader {
    private let loader: any FeedImageDataLoader

    init(_ loader: any FeedImageDataLoader) {
        self.loader = loader
    }

    /// Loads and checks.
    ///
    /// - Throws: The inner loader's error, or ``RemoteFailure`` when the bytes are no image.
    public func loadImageData(from url: URL) async throws -> Data {
        let data = try await loader.loadImageData(from: url)
        guard ImageFormat(data: data) != nil else {
            throw RemoteFailure.invalidData("\(data.count) bytes that are no JPEG, PNG, GIF or WebP image")
        }
        return data
    }
}

extension FeedImageDataLoader {
    /// Refuses what is no image.
    public func validated() -> ValidatingFeedImageDataLoader {
        ValidatingFeedImageDataLoader(self)
    }
}
