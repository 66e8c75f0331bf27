extension CacheStatus {
    /// Whether what the client got had been stored before, and not fetched for it.
    ///
    /// That is a hit, what the origin has just confirmed (`fwd-status=304`), and what stands in for an origin that failed.
    public var isFromCache: Bool {
        hit || forwardStatus == 304 || detail == Self.originFailed
    }

    /// Why a ``CachingHTTPClient`` did not store the origin's answer; nil when it did, or when nothing came from the origin.
    public var notStored: NotStored? {
        guard !hit, !stored else { return nil }
        // Of most methods nothing is stored, and `fwd` says that already.
        return detail.flatMap(NotStored.init(rawValue:)) ?? (forward == .method ? .method : nil)
    }

    static let onlyIfCached = "only-if-cached"
    package static let originFailed = "origin-failed"
}
