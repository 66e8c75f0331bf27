import DuetHTTP

/// The directives of `Cache-Control`, of requests and of responses (RFC 9111, section 5.2).
///
/// Unknown directives are ignored (section 5.2.3). Of a directive that comes twice with a number the first counts
/// (section 4.2.1), otherwise the stricter. A number that is none counts as 0, which makes a response stale, as section
/// 4.2.1 encourages, and grants no use of stale ones.
package struct CacheControl: Sendable, Hashable {
    // 5.2.2.5, 5.2.1.5: nothing of this exchange is stored.
    package var noStore = false
    /// 5.2.2.4, 5.2.1.4: not without validation.
    package var noCache: FieldNames?
    /// 5.2.2.7: not in a shared cache.
    package var isPrivate: FieldNames?
    /// 5.2.2.9: may be stored where it otherwise might not.
    package var isPublic = false
    /// 5.2.2.2: never stale.
    package var mustRevalidate = false
    /// 5.2.2.8: never stale from a shared cache.
    package var proxyRevalidate = false
    /// 5.2.2.3: stored only by a cache that knows the status code.
    package var mustUnderstand = false
    /// RFC 8246: does not change while it is fresh.
    package var immutable = false
    /// 5.2.1.7: no answer of the origin is wanted.
    package var onlyIfCached = false
    /// 5.2.2.1, 5.2.1.1.
    package var maxAge: Int?
    /// 5.2.2.10.
    package var sharedMaxAge: Int?
    /// 5.2.1.3.
    package var minFresh: Int?
    /// 5.2.1.2; without an argument the largest number.
    package var maxStale: Int?
    /// RFC 5861, section 3.
    package var staleWhileRevalidate: Int?
    /// RFC 5861, section 4.
    package var staleIfError: Int?

    package init() {}

    /// Adds a directive whose name is in lower case.
    mutating func add(_ name: String, _ argument: DirectiveArgument) {
        switch name {
        case "no-store": noStore = true
        case "no-cache":
            let names = FieldNames(argument.text)
            // Without these the rest would say something else.
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
