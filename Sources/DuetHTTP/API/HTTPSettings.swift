public import HTTPTypes

/// What the messages of an API have in common, as long as they do not say otherwise themselves.
public struct HTTPSettings: Sendable {
    /// How keys and dates are written.
    public var coding: HTTPCoding

    /// Wire names of properties, by the names of their coding keys, for the messages that have them; a message's own
    /// names win.
    public var parameterNames: [String: String]

    /// Fields that each request carries.
    public var headers: HTTPFields

    /// The statuses that mean success.
    public var acceptedStatuses: ClosedRange<Int>

    /// Whether a client reads a successful response whatever its `Content-Type` says; otherwise JSON must be labeled as
    /// JSON.
    public var acceptsAnyMediaType: Bool

    /// The errors that any handler may throw to a sender.
    public var problems: [any HTTPProblem.Type]

    /// Who may have messages handled that have no rule of their own; ``AuthoriseRule/unsaid`` leaves them without one.
    public var authorise: AuthoriseRule<any HTTPMessage>

    /// Makes settings of their parts.
    public init(
        coding: HTTPCoding = HTTPCoding(),
        parameterNames: [String: String] = [:],
        headers: HTTPFields = [:],
        acceptedStatuses: ClosedRange<Int> = 200...299,
        acceptsAnyMediaType: Bool = false,
        problems: [any HTTPProblem.Type] = [],
        authorise: AuthoriseRule<any HTTPMessage> = .unsaid
    ) {
        self.coding = coding
        self.parameterNames = parameterNames
        self.headers = headers
        self.acceptedStatuses = acceptedStatuses
        self.acceptsAnyMediaType = acceptsAnyMediaType
        self.problems = problems
        self.authorise = authorise
    }
}
