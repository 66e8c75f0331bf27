/// How a cache handled a request, as in the field `Cache-Status` (RFC 9211).
///
/// `Duet; hit; ttl=376` or `Duet; fwd=stale; fwd-status=304; ttl=600; stored`.
public struct CacheStatus: Sendable, Hashable {
    /// The name of the cache.
    public var cache: String

    /// Whether the response came from the cache without a request to the origin.
    public var hit: Bool

    /// Why the request went to the origin.
    public var forward: ForwardReason?

    /// The status code of the origin's response; nil if the client got the same.
    public var forwardStatus: Int?

    /// The number of seconds for which the response stays fresh; negative if it is stale.
    public var ttl: Int?

    /// Whether the origin's response is stored, or is being stored while its body arrives.
    public var stored: Bool

    /// Whether the request waited for another one with the same response.
    public var collapsed: Bool

    /// The key of the cache lookup.
    ///
    /// A ``CachingHTTPClient`` does not report its own, which may hold secrets.
    public var key: String?

    /// Further details; a ``CachingHTTPClient`` says why the response was not stored, or how it came about.
    public var detail: String?

    /// Creates a status; parameters that are nil or false are left out of the field.
    public init(
        cache: String = "Duet",
        hit: Bool = false,
        forward: ForwardReason? = nil,
        forwardStatus: Int? = nil,
        ttl: Int? = nil,
        stored: Bool = false,
        collapsed: Bool = false,
        key: String? = nil,
        detail: String? = nil
    ) {
        self.cache = cache
        self.hit = hit
        self.forward = forward
        self.forwardStatus = forwardStatus
        self.ttl = ttl
        self.stored = stored
        self.collapsed = collapsed
        self.key = key
        self.detail = detail
    }
}
