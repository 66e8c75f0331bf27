public import Duet
import DuetAsyncHTTPClient
import FeedAPI
import FeedCache
import FeedCacheSQLite
import FeedFeature
import Foundation
import Logging

extension FeedClient {
    /// Tells the person who uses the program something that they should know.
    public typealias Notice = @Sendable (_ text: String) -> Void

    /// Opens the cache, composes the client, hands its dispatcher to `body` and closes everything afterwards.
    ///
    /// A cache that cannot be read is set aside with its bytes, and a new one is made; `notice` says so.
    ///
    /// - Throws: What `body` throws; `InvalidBaseURL`; the cache's own error when none can be made.
    public static func withDispatcher<Value: Sendable>(
        _ options: ClientOptions,
        environment: Environment,
        notice: Notice,
        body: @Sendable (_ dispatcher: any CommandQueryDispatcher) async throws -> Value
    ) async throws -> Value {
        try FeedEndpoint.validate(baseURL: options.remote)
        let store = try openStore(options, environment: environment, notice: notice)
        let client = NIOHTTPClient(clock: environment.clock)
        let result: Result<Value, any Error>
        do {
            let dispatcher = try dispatcher(
                baseURL: options.remote,
                client: client,
                store: store,
                policy: FeedCachePolicy(calendar: environment.calendar),
                now: environment.now,
                report: environment.report
            )
            result = .success(try await body(dispatcher.with(logging(environment))))
        } catch {
            result = .failure(error)
        }
        do {
            try await client.shutdown()
        } catch {
            // Nothing depends on it any more, and the error of `body` must not be lost over it.
            environment.report("The HTTP client could not be shut down", error)
        }
        return try result.get()
    }

    private static func logging(_ environment: Environment) -> LoggingMiddleware {
        LoggingMiddleware(clock: environment.clock) { [logger = environment.logger] event in
            logger.debug("\(event.message) took \(event.duration)\(event.error.map { ": \($0)" } ?? "")")
        }
    }

    private static func openStore(
        _ options: ClientOptions,
        environment: Environment,
        notice: Notice
    ) throws -> any FeedStore & FeedImageDataStore {
        guard let cache = options.cache else { return InMemoryFeedStore() }
        return switch options.store {
        case .sqlite: try settled(SQLiteFeedStore.open(at: cache), environment, notice)
        case .file: try settled(FileFeedStore.open(at: cache), environment, notice)
        }
    }

    /// The store that was opened; when another one had to make way for it, that is logged and shown.
    private static func settled<Store>(_ opened: OpenedStore<Store>, _ environment: Environment, _ notice: Notice)
        -> Store
    {
        if let setAside = opened.setAside {
            environment.logger.notice("\(setAside)")
            notice("\(setAside)")
        }
        return opened.store
    }
}
