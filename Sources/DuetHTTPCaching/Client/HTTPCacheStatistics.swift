/// How often an HTTP cache was of use, since it was made.
public struct HTTPCacheStatistics: Sendable, Hashable {
    /// Answers from the cache without asking the origin.
    public var hits: Int

    /// Answers from the cache that the origin has just confirmed.
    public var validated: Int

    /// Answers from the cache in place of an origin that failed.
    public var standIns: Int

    /// Answers of the origin, also to requests that no cache answers.
    public var misses: Int

    /// How many bytes of bodies were stored, whatever has gone since.
    public var storedBytes: Int64

    /// Makes a value.
    public init(hits: Int = 0, validated: Int = 0, standIns: Int = 0, misses: Int = 0, storedBytes: Int64 = 0) {
        self.hits = hits
        self.validated = validated
        self.standIns = standIns
        self.misses = misses
        self.storedBytes = storedBytes
    }
}
