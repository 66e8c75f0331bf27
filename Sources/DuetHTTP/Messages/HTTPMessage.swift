public import Duet
public import HTTPTypes

/// A message that can be sent over HTTP; the common part of ``HTTPCommand`` and ``HTTPQuery``.
///
/// The request follows from `Codable`. Properties that ``path`` names in braces are in the path; the others are
/// parameters of the query or members of a JSON body. The other requirements have defaults and adapt the message to an
/// API.
public protocol HTTPMessage: Message, Codable {
    /// The path relative to the base URL, with wire names of properties in braces: `v1/image/{id}`.
    static var path: String { get }

    /// The stable name of this message, as ``Duet/Message`` declares it.
    ///
    /// Declared here too, so that it can be used where only `DuetHTTP` is imported.
    static var messageName: String { get }

    /// Wire names of properties, by coding key.
    ///
    /// In a query they also apply to nested properties. All other names follow ``HTTPCoding/keys``.
    static var parameterNames: [String: String] { get }

    /// The defaults of parameters as unencoded text, by wire name.
    ///
    /// Only required parameters can have a default. A missing optional is nil, and a missing list is empty.
    static var parameterDefaults: [String: String] { get }

    /// The representation of keys and dates, or nil for that of the API.
    static var coding: HTTPCoding? { get }

    /// The statuses that mean success, or nil for those of the API.
    static var acceptedStatuses: ClosedRange<Int>? { get }

    /// The errors that a handler may send to a client, in addition to those of the API.
    static var problems: [any HTTPProblem.Type] { get }

    /// The client's decorators that this message bypasses.
    static var withoutDecorators: [any HTTPClientDecorator.Type] { get }

    /// The authorization rule, with the type of the message.
    ///
    /// ```swift
    /// static let authorize = AuthorizationRule<RemoveImage>.principal
    /// ```
    static var authorize: AuthorizationRule<Self> { get }

    /// Header fields of a successful response, such as `Cache-Control`.
    static var responseHeaders: HTTPFields { get }

    /// Header fields of the request in addition to those of the API.
    ///
    /// They must be derived from the properties, because a server does not read them back.
    var requestHeaders: HTTPFields { get }
}

extension HTTPMessage {
    /// No names in addition to those of the API.
    public static var parameterNames: [String: String] { [:] }

    /// No defaults: parameters that are not optional are required.
    public static var parameterDefaults: [String: String] { [:] }

    /// The coding of the API.
    public static var coding: HTTPCoding? { nil }

    /// The accepted statuses of the API.
    public static var acceptedStatuses: ClosedRange<Int>? { nil }

    /// No errors in addition to those of the API.
    public static var problems: [any HTTPProblem.Type] { [] }

    /// No bypassed decorators.
    public static var withoutDecorators: [any HTTPClientDecorator.Type] { [] }

    /// The rule of the API.
    public static var authorize: AuthorizationRule<Self> { .unsaid }

    /// No header fields.
    public static var responseHeaders: HTTPFields { [:] }

    /// No header fields in addition to those of the API.
    public var requestHeaders: HTTPFields { [:] }
}
