public import HTTPTypes

extension HTTPResponse {
    /// How the cache that is nearest to the client handled the request (RFC 9211); nil when there was none.
    ///
    /// Behind a ``CachingHTTPClient`` that is this client's own cache. It is read from the last member of `Cache-Status`.
    public var cacheStatus: CacheStatus? {
        headerFields[values: .cacheStatus].last.flatMap { CacheStatus(lastOf: $0) }
    }
}
