public import HTTPTypes

/// What a request asks of the caches that it meets (RFC 9111, section 5.2.1).
public struct HTTPCacheDirective: Sendable, Hashable, CustomStringConvertible {
    /// As it is written in `Cache-Control`.
    public let description: String

    /// The origin's word: nothing stored answers before the origin has confirmed it (`no-cache`).
    public static let reload = HTTPCacheDirective(description: "no-cache")

    /// What is stored or nothing: 504 when no cache has an answer (`only-if-cached`).
    public static let onlyIfCached = HTTPCacheDirective(description: "only-if-cached")

    /// Nothing of the answer is stored, and nothing that is stored answers, unless beside ``onlyIfCached``
    /// (`no-store`).
    public static let noStore = HTTPCacheDirective(description: "no-store")

    /// What is stored answers also when it has been stale for no longer than that; nil for however long (`max-stale`).
    ///
    /// In whole seconds; what forbids stale answers counts all the same.
    public static func maxStale(_ limit: Duration? = nil) -> HTTPCacheDirective {
        HTTPCacheDirective(description: limit.map { "max-stale=\($0.wholeSeconds)" } ?? "max-stale")
    }

    /// What is stored answers only when it was generated no longer ago than that, in whole seconds (`max-age`).
    public static func maxAge(_ limit: Duration) -> HTTPCacheDirective {
        HTTPCacheDirective(description: "max-age=\(limit.wholeSeconds)")
    }
}

extension HTTPFields {
    /// The field `Cache-Control` with these directives, for a message's `requestHeaders`.
    public static func cacheControl(_ directives: HTTPCacheDirective...) -> HTTPFields {
        [.cacheControl: directives.value]
    }
}

extension HTTPRequest {
    /// The same request with these directives in place of those that it has.
    public func cacheControl(_ directives: HTTPCacheDirective...) -> HTTPRequest {
        var request = self
        request.headerFields[.cacheControl] = directives.value
        return request
    }
}

extension [HTTPCacheDirective] {
    fileprivate var value: String { map(\.description).joined(separator: ", ") }
}

extension Duration {
    fileprivate var wholeSeconds: Int64 { max(0, components.seconds) }
}
