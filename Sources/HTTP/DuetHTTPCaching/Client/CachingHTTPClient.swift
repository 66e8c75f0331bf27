public import DuetHTTP
import Foundation
public import HTTPTypes

/// A client with a private HTTP cache by RFC 9111, which reports in `Cache-Status` how it handled each request.
///
/// Put it nearer to the network than decorators that add credentials, so that it knows which user a response belongs
/// to. See <doc:CacheResponses> for the order of the layers.
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
        policy: HTTPCachePolicy = HTTPCachePolicy(),
        configuration: Configuration = Configuration(),
        report: @escaping @Sendable (HTTPCacheReport) -> Void = { _ in }
    ) {
        self.base = base
        engine = CacheEngine(
            store: GuardedStore(store, configuration, report: report),
            policy: policy,
            configuration: configuration,
            partitions: Partitions(configuration, credentialsLayer: base.credentialsLayer, report: report)
        )
    }

    /// The name of the layer.
    public var summary: String { "cache" }

    /// Responds from the cache, or sends the request and stores the response.
    ///
    /// A response that is stored is returned with its whole body. Any other is passed on as it arrives.
    ///
    /// - Throws: The error of `base`, if no stored response may be served instead.
    public func send(
        _ request: HTTPRequest,
        body: HTTPBody?,
        through base: any HTTPClient
    ) async throws -> (HTTPResponse, HTTPBody) {
        var options = HTTPRequestOptions.current
        if options.collectsBody {
            let (response, body) = try await engine.respond(to: request, body: body, from: base)
            guard options.collectsBody(of: response) else { return (response, body) }
            return (response, try await body.collected(for: request, of: response))
        }
        // Other requests for the same response may have another limit.
        let limit = options.maximumBodySize
        options.maximumBodySize = nil
        let (response, body) = try await options.use { try await engine.respond(to: request, body: body, from: base) }
        return (response, body.limited(to: limit, for: request))
    }

    /// Counts of the responses since the cache was created.
    public var statistics: HTTPCacheStatistics { engine.counters.statistics }
}

extension HTTPClient {
    /// Puts a private HTTP cache by RFC 9111 in front of the client.
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
        policy: HTTPCachePolicy = HTTPCachePolicy(),
        configuration: CachingHTTPClient.Configuration = CachingHTTPClient.Configuration(),
        report: @escaping @Sendable (HTTPCacheReport) -> Void = { _ in }
    ) -> CachingHTTPClient {
        CachingHTTPClient(self, in: store, policy: policy, configuration: configuration, report: report)
    }
}
