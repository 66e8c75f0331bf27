public import DuetHTTP
public import Foundation
public import HTTPTypes

/// Clear a cache through its client: what a store alone removes may come back from an answer that is just being read.
extension CachingHTTPClient {
    /// Removes everything that is stored, and stores nothing that is on its way by now: at a log-out, say.
    ///
    /// - Throws: What kept the store from removing it, which leaves it in its file perhaps; this client does not serve it
    ///   any more.
    public func removeAll() async throws {
        try await cache.removeAll()
    }

    /// Removes what is stored for the URI of a request, in all partitions, and stores nothing of it that is on its way by now.
    ///
    /// What cannot be removed is reported, and not served by this client any more.
    ///
    /// - Throws: ``HTTPCacheError/noTarget(url:)`` when nothing can be stored for such a URI.
    public func removeAll(answering request: HTTPRequest) async throws {
        try await cache.removeAll(answering: request)
    }

    /// Removes what is stored for the URI that a query is sent to, in all partitions, with what is on its way by now.
    ///
    /// What cannot be removed is reported, and not served by this client any more.
    ///
    /// - Parameters:
    ///   - query: The query, with the values that it was sent with.
    ///   - server: The address that the `HTTPDispatcher` has, too.
    ///   - settings: The settings that the dispatcher has, too.
    /// - Throws: What a dispatcher throws for a query that cannot be sent.
    public func removeAll(
        answering query: some HTTPQuery,
        at server: BaseURL,
        settings: HTTPSettings = HTTPSettings()
    ) async throws {
        try await removeAll(answering: RequestTaker.request(for: query, to: server, settings))
    }

    /// Removes what is stored for a URL, whatever its query, and for all that lies below it, with what is on its way by now.
    ///
    /// Below `https://api.example/feed` lie `/feed?page=2` and `/feed/7`, and not `/feeds`. In all partitions. What cannot be
    /// removed is reported, and not served by this client any more.
    ///
    /// - Throws: ``HTTPCacheError/noTarget(url:)`` when nothing can be stored for such a URL.
    public func removeAll(under url: URL) async throws {
        // HTTPTypes has no request for a URL without a scheme, and ends the process.
        guard url.absoluteURL.scheme != nil else { throw HTTPCacheError.noTarget(url: url.path) }
        try await cache.removeAll(under: HTTPRequest(method: .get, url: url))
    }
}
