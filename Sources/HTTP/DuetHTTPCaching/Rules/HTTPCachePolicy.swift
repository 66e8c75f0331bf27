/// The rules by which a private HTTP cache stores and reuses responses (RFC 9111).
///
/// ```swift
/// let policy = HTTPCachePolicy(heuristicShare: 0, staleOnFailureLimit: .seconds(60))
/// ```
public struct HTTPCachePolicy: Sendable, Hashable {
    package var heuristicShare: Double
    package var heuristicLimit: Duration
    package var staleOnFailureLimit: Duration

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - heuristicShare: The lifetime of a response without an explicit one, as a fraction of the time since
    ///     `Last-Modified`.
    ///
    ///     See RFC 9111, section 4.2.2.
    ///   - heuristicLimit: The longest lifetime that `heuristicShare` can give.
    ///   - staleOnFailureLimit: How long a response may be stale and still be served when the origin fails.
    ///
    ///     See RFC 9111, sections 4.2.4 and 4.3.3. `stale-if-error` takes precedence (RFC 5861), and directives that
    ///     forbid stale responses always apply.
    public init(
        heuristicShare: Double = 0.1,
        heuristicLimit: Duration = .seconds(86_400),
        staleOnFailureLimit: Duration = .seconds(86_400)
    ) {
        self.heuristicShare = heuristicShare
        self.heuristicLimit = heuristicLimit
        self.staleOnFailureLimit = staleOnFailureLimit
    }
}
