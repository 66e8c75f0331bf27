extension CacheStatus {
    /// Whether the response had been stored before the request.
    ///
    /// That is true of a hit, of a response that the origin has just confirmed (`fwd-status=304`), and of a stale
    /// response in place of a failed origin.
    public var isFromCache: Bool {
        hit || forwardStatus == 304 || detail == Self.originFailed
    }

    /// Why a ``CachingHTTPClient`` did not store the origin's response; nil if it did, or if the origin did not
    /// respond.
    public var notStored: NotStored? {
        guard !hit, !stored else { return nil }
        // For most methods `fwd` says already that nothing is stored.
        return detail.flatMap(NotStored.init(rawValue:)) ?? (forward == .method ? .method : nil)
    }

    static let onlyIfCached = "only-if-cached"
    package static let originFailed = "origin-failed"
}
