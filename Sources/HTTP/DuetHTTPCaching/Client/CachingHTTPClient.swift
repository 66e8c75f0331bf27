public import DuetHTTP
import Foundation
public import HTTPTypes

/// A client with an HTTP cache by RFC 9111, which reports in `Cache-Status` how it handled each request.
///
/// Put it nearer to the network than decorators that add credentials, so that it knows which user a response belongs
/// to. See <doc:StoresAndConfiguration> for the order of the layers.
///
/// ```swift
/// let cache = network.caching()
/// let server = try BaseURL("https://api.example")
/// let api = HTTPDispatcher(baseURL: server, client: cache.logging { print($0) })
/// ```
///
/// ``HTTPCachePolicy`` decides what is stored and reused, and an ``HTTPCacheStore`` keeps it. Of several requests for
/// the same response at the same time one is sent, and the others read the response from the store.
/// ``HTTPTypes/HTTPResponse/cacheStatus`` reports where a response came from.
public struct CachingHTTPClient: HTTPClientDecorator {
    /// The client that sends requests to the origin.
    public let base: any HTTPClient

    let engine: CacheEngine

    package init(
        _ base: any HTTPClient,
        in store: any HTTPCacheStore = InMemoryHTTPCacheStore(),
        policy: HTTPCachePolicy = .private,
        configuration: Configuration = Configuration(),
        report: @escaping @Sendable (HTTPCacheReport) -> Void = { _ in }
    ) {
        self.base = base
        engine = CacheEngine(
            store: GuardedStore(store, configuration, report: report),
            largestResponse: store.largestResponse,
            policy: policy,
            configuration: configuration,
            partitions: Partitions(of: policy, configuration, credentialsLayer: base.credentialsLayer, report: report)
        )
    }

    /// The kind of cache: private or shared.
    public var summary: String { "cache, \(engine.policy.sharing)" }

    /// Responds from the cache, or sends the request and stores the response while it is read.
    ///
    /// - Throws: The error of `base`, if no stored response may be served instead.
    public func send(
        _ request: HTTPRequest,
        body: HTTPBody?,
        through base: any HTTPClient
    ) async throws -> (HTTPResponse, HTTPBody) {
        var options = HTTPRequestOptions.current
        guard !options.collectsBody else { return try await collect(request, body: body, through: base) }
        guard let limit = options.maximumBodySize else {
            return try await engine.respond(to: request, body: body, from: base)
        }
        // Other requests for the same response may have another limit.
        options.maximumBodySize = nil
        let (response, whole) = try await options.use { try await engine.respond(to: request, body: body, from: base) }
        return (response, whole.limited(to: limit, for: request))
    }

    /// Responds with a whole body, and fetches the response if the stored body cannot be read.
    private func collect(
        _ request: HTTPRequest,
        body: HTTPBody?,
        through base: any HTTPClient
    ) async throws -> (HTTPResponse, HTTPBody) {
        func whole(_ response: HTTPResponse, _ body: HTTPBody) async throws -> (HTTPResponse, HTTPBody) {
            (response, HTTPBody(try await body.collected(for: request)))
        }
        do {
            let (response, stored) = try await engine.respond(to: request, body: body, from: base)
            return try await whole(response, stored)
        } catch let error as HTTPClientError where error.isOfStoredBody {
            let (response, fetched) = try await engine.respond(to: request, body: body, from: base, readsStore: false)
            return try await whole(response, fetched)
        }
    }

    /// Validates responses that were served stale in the background (RFC 5861, section 3), until its task is canceled.
    ///
    /// A stale response is validated before it is served while nothing runs this, while
    /// ``Configuration/revalidationLimit`` validations are under way, if only a part is stored, and if the request is
    /// HEAD or has a range. At the end of this method the store writes what it has deferred.
    public func run() async {
        await engine.revalidator.run()
        await engine.store.flush()
    }

    /// Counts of the responses since the cache was created.
    public var statistics: HTTPCacheStatistics { engine.counters.statistics }

    /// Whether ``run()`` has begun and not ended.
    package var isRunning: Bool { engine.revalidator.isRunning }
}

extension HTTPClient {
    /// Puts an HTTP cache by RFC 9111 in front of the client.
    ///
    /// ```swift
    /// let client = network.caching()
    /// ```
    ///
    /// - Parameters:
    ///   - store: The store of the responses: 64 MiB of memory by default.
    ///   - policy: The rules for storing and reusing responses.
    ///   - configuration: Partitions, limits and clocks of the cache.
    ///   - report: Receives failures of the store, which fail no request, and the fact that requests have to bypass the
    ///     cache.
    public func caching(
        in store: any HTTPCacheStore = InMemoryHTTPCacheStore(),
        policy: HTTPCachePolicy = .private,
        configuration: CachingHTTPClient.Configuration = CachingHTTPClient.Configuration(),
        report: @escaping @Sendable (HTTPCacheReport) -> Void = { _ in }
    ) -> CachingHTTPClient {
        CachingHTTPClient(self, in: store, policy: policy, configuration: configuration, report: report)
    }
}
