/// How a cache handled a request, as the field `Cache-Status` tells it (RFC 9211).
///
/// `Duet; hit; ttl=376` or `Duet; fwd=stale; fwd-status=304; ttl=600; stored`.
public struct CacheStatus: Sendable, Hashable {
    /// The name of the cache.
    public var cache: String

    /// Whether the answer came from the cache without asking the origin.
    public var hit: Bool

    /// Why the request went to the origin.
    public var forward: ForwardReason?

    /// The status code of the origin's answer; left out when the client got the same.
    public var forwardStatus: Int?

    /// For how many seconds the answer stays fresh; negative when it is stale.
    public var ttl: Int?

    /// Whether the origin's answer is stored, or is being stored while its body comes.
    public var stored: Bool

    /// Whether the request waited for another one with the same answer.
    public var collapsed: Bool

    /// The key that the cache looked for; a ``CachingHTTPClient`` does not tell its own, which may hold secrets.
    public var key: String?

    /// What else there is to say: of a ``CachingHTTPClient``, why the answer was not stored, or how it came about.
    public var detail: String?

    /// Creates a value; what is nil or false is not told.
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
