public import DuetHTTP

extension HTTPClient {
    /// Answers requests from a cache by RFC 9111, as far as what is stored may be used.
    ///
    /// - Parameters:
    ///   - store: Where responses are kept: 64 MiB of memory unless told otherwise.
    ///   - policy: What is stored and used again.
    ///   - configuration: Whose responses are whose, how much the cache takes upon itself, and what tells it the time.
    ///   - report: Is told when the store fails, which no request does for that reason, and when requests go past the cache.
    public func caching(
        in store: any HTTPCacheStore = InMemoryHTTPCacheStore(),
        policy: HTTPCachePolicy = .private,
        configuration: CachingHTTPClient.Configuration = CachingHTTPClient.Configuration(),
        report: @escaping @Sendable (HTTPCacheReport) -> Void = { _ in }
    ) -> CachingHTTPClient {
        CachingHTTPClient(self, in: store, policy: policy, configuration: configuration, report: report)
    }
}
