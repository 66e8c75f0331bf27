import FeedCache
public import FeedFeature
public import Foundation

/// Saves the bytes that another loader loads, then delivers them; a failed save is only reported.
public struct CachingFeedImageDataLoader: FeedImageDataLoader {
    private let loader: any FeedImageDataLoader
    private let cache: any FeedImageDataCache
    private let report: FailureReport

    init(_ loader: any FeedImageDataLoader, cache: any FeedImageDataCache, report: @escaping FailureReport) {
        self.loader = loader
        self.cache = cache
        self.report = report
    }

    /// Loads, saves and delivers.
    ///
    /// - Throws: The inner loader's error, or `CancellationError`.
    public func loadImageData(from url: URL) async throws -> Data {
        let data = try await loader.loadImageData(from: url)
        try Task.checkCancellation()
        await reporting(to: report, "An image could not be saved") {
            try await cache.save(data, for: url)
        }
        return data
    }
}

extension FeedImageDataLoader {
    /// Saves the bytes that this loader loads; failed saves go to `report`.
    public func caching(
        into cache: any FeedImageDataCache,
        report: @escaping FailureReport
    ) -> CachingFeedImageDataLoader {
        CachingFeedImageDataLoader(self, cache: cache, report: report)
    }
}

/// Loads images from a second loader when the first one fails, but not when it is canceled.
public struct FallbackFeedImageDataLoader: FeedImageDataLoader {
    private let primary: any FeedImageDataLoader
    private let fallback: any FeedImageDataLoader
    private let report: FailureReport

    init(_ primary: any FeedImageDataLoader, fallback: any FeedImageDataLoader, report: @escaping FailureReport) {
        self.primary = primary
        self.fallback = fallback
        self.report = report
    }

    /// Loads from the first loader, or else from the second.
    ///
    /// - Throws: The second loader's error, or `CancellationError`.
    public func loadImageData(from url: URL) async throws -> Data {
        do {
            return try await primary.loadImageData(from: url)
        } catch {
            try Task.checkCancellation()
            if !error.isMiss { report("An image could not be loaded from the cache", error) }
            return try await fallback.loadImageData(from: url)
        }
    }
}

extension FeedImageDataLoader {
    /// Loads from `fallback` the images that this loader does not have; its other failures go to `report`.
    public func fallingBack(
        to fallback: any FeedImageDataLoader,
        report: @escaping FailureReport
    ) -> FallbackFeedImageDataLoader {
        FallbackFeedImageDataLoader(self, fallback: fallback, report: report)
    }
}

extension Error {
    /// Whether the cache works but does not have the image.
    fileprivate var isMiss: Bool {
        if case .notFound? = self as? LocalImageDataError { return true }
        return false
    }
}

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
            throw RemoteFailure.invalidData("\(data.count) bytes that are not a JPEG, PNG, GIF or WebP image")
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
