public import HTTPTypes

/// A request directive for caches (RFC 9111, section 5.2.1).
///
/// ```swift
/// let (validated, _) = try await cache.data(for: request.cacheControl(.reload))
/// let (local, _) = try await cache.data(for: request.cacheControl(.onlyIfCached))
/// ```
public struct HTTPCacheDirective: Sendable, Hashable, CustomStringConvertible {
    /// The directive as it is written in `Cache-Control`.
    public let description: String

    /// Requires validation by the origin before a stored response is used (`no-cache`).
    public static let reload = HTTPCacheDirective(description: "no-cache")

    /// Accepts only a stored response; the cache responds with 504 if there is none (`only-if-cached`).
    public static let onlyIfCached = HTTPCacheDirective(description: "only-if-cached")

    /// Bypasses stored responses, unless combined with ``onlyIfCached``, and does not store the response (`no-store`).
    public static let noStore = HTTPCacheDirective(description: "no-store")

    /// Accepts a stored response that has been stale for at most this time, or nil for any time (`max-stale`).
    ///
    /// The time is in whole seconds. Directives that forbid stale responses still apply.
    public static func maxStale(_ limit: Duration? = nil) -> HTTPCacheDirective {
        HTTPCacheDirective(description: limit.map { "max-stale=\($0.wholeSeconds)" } ?? "max-stale")
    }

    /// Accepts a stored response of at most this age in whole seconds (`max-age`).
    public static func maxAge(_ limit: Duration) -> HTTPCacheDirective {
        HTTPCacheDirective(description: "max-age=\(limit.wholeSeconds)")
    }
}

extension HTTPFields {
    /// The `Cache-Control` field with these directives, for a message's `requestHeaders`.
    public static func cacheControl(_ directives: HTTPCacheDirective...) -> HTTPFields {
        [.cacheControl: directives.value]
    }
}

extension HTTPRequest {
    /// Returns the request with its `Cache-Control` replaced by these directives.
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
