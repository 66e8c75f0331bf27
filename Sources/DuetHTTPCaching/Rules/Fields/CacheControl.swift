import DuetHTTP

/// The directives of `Cache-Control`, of requests and of responses (RFC 9111, section 5.2).
///
/// Unknown directives are ignored (section 5.2.3). If a directive with a number occurs twice, the first one counts
/// (section 4.2.1); otherwise the stricter one. An invalid number counts as 0, which makes a response stale, as section
/// 4.2.1 encourages, and does not allow the use of stale responses.
package struct CacheControl: Sendable, Hashable {
    // 5.2.2.5, 5.2.1.5: the response is not stored.
    package var noStore = false
    /// 5.2.2.4, 5.2.1.4: not used without validation.
    package var noCache: FieldNames?
    /// 5.2.2.7: not stored in a shared cache.
    package var isPrivate: FieldNames?
    /// 5.2.2.9: stored even if it otherwise would not be.
    package var isPublic = false
    /// 5.2.2.2: never used when stale.
    package var mustRevalidate = false
    /// 5.2.2.8: never used when stale by a shared cache.
    package var proxyRevalidate = false
    /// 5.2.2.3: stored only by a cache that understands the status code.
    package var mustUnderstand = false
    /// RFC 8246: does not change while it is fresh.
    package var immutable = false
    /// 5.2.1.7: the request is not forwarded to the origin.
    package var onlyIfCached = false
    /// 5.2.2.1, 5.2.1.1.
    package var maxAge: Int?
    /// 5.2.2.10.
    package var sharedMaxAge: Int?
    /// 5.2.1.3.
    package var minFresh: Int?
    /// 5.2.1.2: without an argument the largest number.
    package var maxStale: Int?
    /// RFC 5861, section 3.
    package var staleWhileRevalidate: Int?
    /// RFC 5861, section 4.
    package var staleIfError: Int?

    package init() {}

    /// Adds a directive, whose name is in lowercase.
    mutating func add(_ name: String, _ argument: DirectiveArgument) {
        switch name {
        case "no-store": noStore = true
        case "no-cache":
            let names = FieldNames(argument.text)
            // Without these, the other directives would have a different meaning.
            noCache.add(names.names.isDisjoint(with: HTTPCachePolicy.decisiveFields) ? names : .response)
        case "private": isPrivate.add(FieldNames(argument.text))
        case "public": isPublic = true
        case "must-revalidate": mustRevalidate = true
        case "proxy-revalidate": proxyRevalidate = true
        case "must-understand": mustUnderstand = true
        case "immutable": immutable = true
        case "only-if-cached": onlyIfCached = true
        case "max-age": maxAge = maxAge ?? argument.seconds ?? 0
        case "s-maxage": sharedMaxAge = sharedMaxAge ?? argument.seconds ?? 0
        case "min-fresh": minFresh = minFresh ?? argument.seconds ?? 0
        case "max-stale": maxStale = maxStale ?? (argument == .none ? DeltaSeconds.limit : argument.seconds ?? 0)
        case "stale-while-revalidate": staleWhileRevalidate = staleWhileRevalidate ?? argument.seconds ?? 0
        case "stale-if-error": staleIfError = staleIfError ?? argument.seconds ?? 0
        default: break
        }
    }
}
