public import FeedFeature
public import Foundation

/// Refuses bytes that are not an image, so that they are neither shown nor cached.
public struct ValidatingFeedImageDataLoader: FeedImageDataLoader {
    private let loader: any FeedImageDataLoader

    init(_ loader: any FeedImageDataLoader) {
        self.loader = loader
    }

    /// Loads the bytes and checks them.
    ///
    /// - Throws: The inner loader's error, or ``RemoteFailure`` when the bytes are not an image.
    public func loadImageData(from url: URL) async throws -> Data {
        let data = try await loader.loadImageData(from: url)
        guard ImageFormat(data: data) != nil else {
            throw RemoteFailure.invalidData("\(data.count) bytes that are no JPEG, PNG, GIF or WebP image")
        }
        return data
    }
}

extension FeedImageDataLoader {
    /// Refuses bytes that are not an image.
    public func validated() -> ValidatingFeedImageDataLoader {
        ValidatingFeedImageDataLoader(self)
    }
}
