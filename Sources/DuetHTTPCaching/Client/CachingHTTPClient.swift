public import DuetHTTP
import Foundation
public import HTTPTypes

/// Answers requests from a cache by RFC 9111, and tells in `Cache-Status` how it did.
///
/// It stands nearer to the network than what adds credentials, so that it sees whose an answer is, and inside of a deadline and a
/// log; retries may stand on either side. In front of a decorator that says ``HTTPClientDecorator/addsCredentials`` it answers
/// nothing, unless ``Configuration/partition`` or, in a private cache, the principal of the `ServiceContext` says whose a request
/// is. What is stored is told by ``HTTPCachePolicy``, where by an ``HTTPCacheStore``. Requests for the same that come at the same time share one fetch.
/// Where the answer came from is in ``HTTPTypes/HTTPResponse/cacheStatus``.
public struct CachingHTTPClient: HTTPClientDecorator {
    /// The client that asks the origin.
    public let base: any HTTPClient

    let cache: CacheEngine

    /// Puts a cache in front of a client.
    ///
    /// - Parameters:
    ///   - base: The client that asks the origin.
    ///   - store: Where responses are kept: 64 MiB of memory unless told otherwise.
    ///   - policy: What is stored and used again.
    ///   - configuration: Whose responses are whose, how much the cache takes upon itself, and what tells it the time.
    ///   - report: Is told when the store fails, which no request does for that reason, and when requests go past the cache.
    public init(
        _ base: any HTTPClient,
        in store: any HTTPCacheStore = InMemoryHTTPCacheStore(),
        policy: HTTPCachePolicy = .private,
        configuration: Configuration = Configuration(),
        report: @escaping @Sendable (HTTPCacheReport) -> Void = { _ in }
    ) {
        self.base = base
        cache = CacheEngine(
            store: GuardedStore(
                store,
                secrets: configuration.storesSecretsDurably ? [] : configuration.allSecrets,
                now: configuration.now,
                report: report
            ),
            largestResponse: store.largestResponse,
            policy: policy,
            configuration: configuration,
            hiddenCredentials: HiddenCredentials(in: base, report: report)
        )
    }

    /// Whom the cache serves.
    public var summary: String { "cache, \(cache.policy.sharing)" }

    /// Answers from the cache if it may, and otherwise sends the request and stores the answer if it may.
    ///
    /// - Throws: What `base` throws, when nothing stored may stand in for its answer.
    public func send(
        _ request: HTTPRequest,
        body: HTTPBody?,
        through base: any HTTPClient
    ) async throws -> (HTTPResponse, HTTPBody) {
        var options = HTTPRequestOptions.current
        let origin = Origin(client: base, body: body, isStreamed: !options.collectsBody)
        guard origin.isStreamed else {
            do {
                return try await collect(cache.answer(request, from: origin), to: request)
            } catch let error as HTTPClientError where error.isOfStoredBody {
                // The store reported that it has the body, and then failed: nothing was returned yet.
                return try await collect(cache.answer(request, from: origin, readsStore: false), to: request)
            }
        }
        guard let limit = options.maximumBodySize else { return try await cache.answer(request, from: origin) }
        // Others who share the body take more of it perhaps.
        options.maximumBodySize = nil
        let answer = try await options.use { try await cache.answer(request, from: origin) }
        return (answer.response, answer.body.limited(to: limit, answering: request))
    }

    /// Validates stale responses in the background that were served meanwhile (RFC 5861, section 3), until its task is cancelled.
    ///
    /// While nobody runs this, when ``Configuration/revalidationLimit`` are under way, where only a part is stored, and for a request that is
    /// HEAD or has a range, such a response is validated at once, and whoever asks waits for it. At its end the store writes what it
    /// has put off.
    public func run() async {
        await cache.revalidations.run()
        await cache.store.flush()
    }

    /// How often the cache was of use, since it was made.
    public var statistics: HTTPCacheStatistics { cache.counts.statistics }

    /// Whether ``run()`` has begun and not ended.
    package var isRunning: Bool { cache.revalidations.isRunning }

    private func collect(
        _ answer: (response: HTTPResponse, body: HTTPBody),
        to request: HTTPRequest
    ) async throws -> (HTTPResponse, HTTPBody) {
        (answer.response, HTTPBody(try await answer.body.collected(answering: request)))
    }
}
