public import FeedFeature

/// Loads from elsewhere when a loader fails, and says that it failed.
///
/// When there is nothing usable elsewhere either, the page is empty and carries the failure: an empty screen with no
/// reason helps nobody. Cancellation is not a failure; nothing else is tried then.
public struct FallbackFeedLoader: FeedLoader {
    private let primary: any FeedLoader
    private let fallback: any FeedLoader
    private let report: FailureReport

    init(_ primary: any FeedLoader, fallback: any FeedLoader, report: @escaping FailureReport) {
        self.primary = primary
        self.fallback = fallback
        self.report = report
    }

    /// Loads from the one, or else from the other.
    ///
    /// - Throws: `CancellationError`, or an error of the first loader that is not a ``RemoteFailure``.
    public func load() async throws -> FeedPage {
        do {
            return try await primary.load()
        } catch let failure as RemoteFailure {
            try Task.checkCancellation()
            return try await fallbackPage(after: failure)
        }
    }

    private func fallbackPage(after failure: RemoteFailure) async throws -> FeedPage {
        do {
            let page = try await fallback.load()
            return FeedPage(images: page.images, source: page.source, failure: failure)
        } catch {
            try Task.checkCancellation()
            report("The cached feed could not be loaded", error)
            return FeedPage(images: [], source: .nowhere, failure: failure)
        }
    }
}

extension FeedLoader {
    /// Loads from `fallback` when the server is of no use; failures of the fallback go to `report`.
    public func fallingBack(to fallback: any FeedLoader, report: @escaping FailureReport) -> FallbackFeedLoader {
        FallbackFeedLoader(self, fallback: fallback, report: report)
    }
}
