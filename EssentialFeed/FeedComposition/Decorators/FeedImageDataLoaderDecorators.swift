import FeedCache
public import FeedFeature
import Foundation

extension FeedImageDataLoader {
    /// Saves the bytes that this loader loads; failed saves go to `report`.
    public func caching(
        into cache: any FeedImageDataCache,
        report: @escaping FailureReport
    ) -> some FeedImageDataLoader {
        CachingFeedImageDataLoader(loader: self, cache: cache, report: report)
    }

    /// Loads from `fallback` the images that this loader does not have; its other failures go to `report`.
    public func fallingBack(
        to fallback: any FeedImageDataLoader,
        report: @escaping FailureReport
    ) -> some FeedImageDataLoader {
        FallbackFeedImageDataLoader(primary: self, fallback: fallback, report: report)
    }

    /// Refuses bytes that are not an image.
    public func validated() -> some FeedImageDataLoader {
        ValidatingFeedImageDataLoader(loader: self)
    }
}

private struct CachingFeedImageDataLoader: FeedImageDataLoader {
    let loader: any FeedImageDataLoader
    let cache: any FeedImageDataCache
    let report: FailureReport

    func loadImageData(from url: URL) async throws -> Data {
        let data = try await loader.loadImageData(from: url)
        try Task.checkCancellation()
        await reporting(to: report, "An image could not be saved") {
            try await cache.save(data, for: url)
        }
        return data
    }
}

/// Loads images from a second loader when the first one fails, but not when it is canceled.
private struct FallbackFeedImageDataLoader: FeedImageDataLoader {
    let primary: any FeedImageDataLoader
    let fallback: any FeedImageDataLoader
    let report: FailureReport

    func loadImageData(from url: URL) async throws -> Data {
        do {
            return try await primary.loadImageData(from: url)
        } catch {
            try Task.checkCancellation()
            if !error.isMiss { report("An image could not be loaded from the cache", error) }
            return try await fallback.loadImageData(from: url)
        }
    }
}

extension Error {
    /// Whether the cache works but does not have the image.
    fileprivate var isMiss: Bool {
        if case .notFound? = self as? LocalImageDataError { return true }
        return false
    }
}

private struct ValidatingFeedImageDataLoader: FeedImageDataLoader {
    let loader: any FeedImageDataLoader

    func loadImageData(from url: URL) async throws -> Data {
        let data = try await loader.loadImageData(from: url)
        guard ImageFormat(data: data) != nil else {
            throw RemoteFailure.invalidData("\(data.count) bytes that are not a JPEG, PNG, GIF or WebP image")
        }
        return data
    }
}
