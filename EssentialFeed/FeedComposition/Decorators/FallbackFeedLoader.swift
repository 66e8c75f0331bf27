public import FeedFeature

/// Loads from a second loader when the first one fails, and adds the failure to the page.
///
/// If the second loader has nothing usable either, the page is empty and still has the failure, so that the screen can
/// show a reason. A cancelled load does not fall back.
public struct FallbackFeedLoader: FeedLoader {
    private let primary: any FeedLoader
    private let fallback: any FeedLoader
    private let report: FailureReport

    init(_ primary: any FeedLoader, fallback: any FeedLoader, report: @escaping FailureReport) {
        self.primary = primary
        self.fallback = fallback
        self.report = report
    }

    /// Loads from the first loader, or else from the second.
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
    /// Loads from `fallback` when the server fails; failures of the fallback go to `report`.
    public func fallingBack(to fallback: any FeedLoader, report: @escaping FailureReport) -> FallbackFeedLoader {
        FallbackFeedLoader(self, fallback: fallback, report: report)
    }
}
