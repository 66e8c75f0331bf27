import DuetHTTP
public import HTTPTypes

/// The rules by which an HTTP cache stores and reuses responses (RFC 9111).
///
/// ```swift
/// let policy = HTTPCachePolicy(heuristicShare: 0, staleOnFailureLimit: .seconds(60))
/// ```
public struct HTTPCachePolicy: Sendable, Hashable {
    /// Whether a cache serves one user or many (RFC 9111, section 1).
    public enum Sharing: Sendable, Hashable {
        /// The cache serves one user, and may store private responses.
        case `private`

        /// The cache serves many users, as a proxy does. It stores no `private` response and obeys `s-maxage`.
        case shared
    }

    /// Whether the cache serves one user or many.
    public var sharing: Sharing

    /// Fields that replace `Cache-Control` and `Expires`, in order of priority (RFC 9213, section 2.2).
    ///
    /// By convention, their names end in `-Cache-Control` (section 2.4). Other names are removed without an error.
    public var targetedFields: [HTTPField.Name] {
        didSet { targetedFields = Self.targeted(targetedFields) }
    }

    /// The lifetime of a response without an explicit one, as a fraction of the time since `Last-Modified`.
    ///
    /// See RFC 9111, section 4.2.2.
    public var heuristicShare: Double

    /// The longest lifetime that ``heuristicShare`` can give.
    public var heuristicLimit: Duration

    /// How long a response may be stale and still be served when the origin fails.
    ///
    /// See RFC 9111, sections 4.2.4 and 4.3.3. `stale-if-error` takes precedence (RFC 5861), and directives that forbid
    /// stale responses always apply.
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
