import DuetHTTP
public import HTTPTypes

/// Decides which responses an HTTP cache stores and when it uses them again, by RFC 9111.
public struct HTTPCachePolicy: Sendable, Hashable {
    /// Whom a cache serves (RFC 9111, section 1).
    public enum Sharing: Sendable, Hashable {
        /// One user, whose private responses may be stored.
        case `private`

        /// Many users, as a proxy does: nothing `private` is stored, and `s-maxage` counts.
        case shared
    }

    /// Whom the cache serves.
    public var sharing: Sharing

    /// Fields that count instead of `Cache-Control` and `Expires`, the most important first (RFC 9213, section 2.2).
    ///
    /// By convention their names end in `-Cache-Control` (section 2.4); what ends otherwise is left out here, without
    /// an error.
    public var targetedFields: [HTTPField.Name] {
        didSet { targetedFields = Self.targeted(targetedFields) }
    }

    /// Which part of the time since `Last-Modified` a response is fresh that does not say (RFC 9111, section 4.2.2).
    public var heuristicShare: Double

    /// The longest time that a response is fresh by ``heuristicShare``.
    public var heuristicLimit: Duration

    /// How long after its freshness a response may stand in for an origin that fails (RFC 9111, sections 4.2.4 and
    /// 4.3.3).
    ///
    /// `stale-if-error` counts instead where it is given (RFC 5861), and what forbids stale responses always does.
    public var staleOnFailureLimit: Duration

    /// Creates a policy.
    public init(
        _ sharing: Sharing = .private,
        targetedFields: [HTTPField.Name] = [],
        heuristicShare: Double = 0.1,
        heuristicLimit: Duration = .seconds(86_400),
        staleOnFailureLimit: Duration = .seconds(86_400)
    ) {
        self.sharing = sharing
        self.targetedFields = Self.targeted(targetedFields)
        self.heuristicShare = heuristicShare
        self.heuristicLimit = heuristicLimit
        self.staleOnFailureLimit = staleOnFailureLimit
    }

    /// A cache for one user.
    public static let `private` = HTTPCachePolicy(.private)

    /// A cache for many users, which obeys `CDN-Cache-Control`.
    public static let shared = HTTPCachePolicy(.shared, targetedFields: [.known("CDN-Cache-Control")])

    var isShared: Bool { sharing == .shared }

    private static func targeted(_ names: [HTTPField.Name]) -> [HTTPField.Name] {
        names.filter { $0.canonicalName.hasSuffix("-cache-control") }
    }
}
