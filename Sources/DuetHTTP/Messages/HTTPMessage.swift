public import Duet
public import HTTPTypes

/// A message that says what it is asked over HTTP: what ``HTTPCommand`` and ``HTTPQuery`` have in common.
///
/// Everything follows from `Codable`: properties that ``path`` names in braces stand there, the others are parameters of
/// the query or members of a JSON body. What does not suit the API in question is set by the requirements below, all of
/// which but ``path`` have defaults.
public protocol HTTPMessage: Message, Codable {
    /// Where the message goes, relative to the API's base URL, with a property's wire name in braces: `v1/image/{id}`.
    static var path: String { get }

    /// The stable name of this message, as ``Duet/Message`` declares it.
    ///
    /// Declared here too, so that it can be used where only `DuetHTTP` is imported.
    static var messageName: String { get }

    /// Wire names of properties, by the names of their coding keys, in a query also of nested ones; the others follow the coding's ``HTTPCoding/keys``.
    static var parameterNames: [String: String] { get }

    /// What a parameter that is left out stands for, by the wire name: a text as in a URL, before it is percent-encoded.
    ///
    /// Only what must be there can have a default: left out, an optional is nil, and a list is empty.
    static var parameterDefaults: [String: String] { get }

    /// How keys and dates are written; nil for what the API says.
    static var coding: HTTPCoding? { get }

    /// The statuses that mean success; nil for what the API says.
    static var acceptedStatuses: ClosedRange<Int>? { get }

    /// The errors that a handler of this message throws to its sender, besides those of the API.
    static var problems: [any HTTPProblem.Type] { get }

    /// The decorators of the client that this message goes past.
    static var withoutDecorators: [any HTTPClientDecorator.Type] { get }

    /// Who may have this message handled, with its type: `static let authorise = AuthoriseRule<RemoveImage>.principal`.
    static var authorise: AuthoriseRule<Self> { get }

    /// Fields that the answer to this message carries when it is a success, such as `Cache-Control`.
    static var responseHeaders: HTTPFields { get }

    /// Fields of the request besides those of the API; they must follow from the properties, since no server reads them back.
    var requestHeaders: HTTPFields { get }
}

extension HTTPMessage {
    /// No other names than those of the API and of the coding.
    public static var parameterNames: [String: String] { [:] }

    /// No defaults: what is not optional must be there.
    public static var parameterDefaults: [String: String] { [:] }

    /// What the API says.
    public static var coding: HTTPCoding? { nil }

    /// What the API says.
    public static var acceptedStatuses: ClosedRange<Int>? { nil }

    /// None besides those of the API.
    public static var problems: [any HTTPProblem.Type] { [] }

    /// None: the message goes through all of them.
    public static var withoutDecorators: [any HTTPClientDecorator.Type] { [] }

    /// What the API says.
    public static var authorise: AuthoriseRule<Self> { .unsaid }

    /// None.
    public static var responseHeaders: HTTPFields { [:] }

    /// None besides those of the API.
    public var requestHeaders: HTTPFields { [:] }
}
