public import Duet
public import DuetHTTP
import FeedAPI
public import FeedCache
import FeedFeature
public import Foundation

/// The client side of the feed: where each of its messages is handled.
///
/// Screens are given the dispatcher and nothing else.
public enum FeedClient {
    /// Composes the client.
    ///
    /// - Parameters:
    ///   - baseURL: The backend, with a path if it has one.
    ///   - client: What requests are sent with.
    ///   - store: Where the feed and its images' bytes are kept.
    ///   - policy: How long a cached feed is shown.
    ///   - now: The current time.
    ///   - report: Takes note of failures that are not shown.
    /// - Throws: `DispatchError` when two handlers serve one message.
    public static func dispatcher(
        baseURL: URL,
        client: any HTTPClient,
        store: any FeedStore & FeedImageDataStore,
        policy: FeedCachePolicy,
        now: @escaping @Sendable () -> Date,
        report: @escaping FailureReport
    ) throws -> any CommandQueryDispatcher {
        let invalidation = Invalidation()
        let local: @Sendable () -> LocalFeedLoader = {
            LocalFeedLoader(store: invalidation.guarding(store), policy: policy, now: now)
        }
        let localImages = LocalFeedImageDataLoader(store: store)
        let images =
            localImages
            .fallingBack(
                to: RemoteFeedImageDataLoader(client: client)
                    .validated()
                    .caching(into: localImages, report: report),
                report: report
            )
            .sharing()

        return try StandardDispatcher {
            LoadFeedHandler(baseURL: baseURL, client: client, local: local, report: report)
            LoadImageDataHandler(loader: images)
            RemoteImageCommentsHandler(baseURL: baseURL, client: client)
            RemotePostImageCommentHandler(baseURL: baseURL, client: client)
            RemotePublishImageHandler(baseURL: baseURL, client: client)
            RemoteRemoveImageHandler(baseURL: baseURL, client: client)
            RemoveInvalidFeedCacheHandler(local: local)
            ClearFeedCacheHandler(store: store, invalidation: invalidation)
            LoadFeedCacheSummaryHandler(store: store, policy: policy, now: now)
        }
        .with(.validation)
    }
}
