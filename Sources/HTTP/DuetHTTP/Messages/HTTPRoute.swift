public import Duet
public import HTTPTypes

/// The route of a query: `GET`, or `POST` for queries that are too long for a URL.
public typealias QueryRoute<Query: HTTPQuery> = HTTPRoute<Query, QueryMethod>

/// The route of a command: `POST`, `PUT`, `PATCH` or `DELETE`.
public typealias CommandRoute<Command: HTTPCommand> = HTTPRoute<Command, CommandMethod>

/// How a message is sent over HTTP: method, path, and what differs from the API's settings.
///
/// ```swift
/// struct RenameList: BodyCommand {
///     static let route: CommandRoute<Self> = .patch("lists/{list}")
///         .parameterDefaults(["at": "0"])
///         .bodyProperty("title")
///         .responding(with: .ok)
///
///     let list: String
///     let at: Int
///     let title: String
///     var body: String { title }
/// }
/// ```
///
/// A path is relative to the base URL, without a leading slash. Names in braces are properties, by their wire names.
/// The other properties are parameters of the query, or members of the body.
public struct HTTPRoute<Message: Sendable, Method: HTTPRouteMethod>: Sendable {
    /// The method of the request.
    public let method: Method

    /// The path relative to the base URL, with wire names of properties in braces: `v1/image/{id}`.
    public let path: String

    package private(set) var parameterNames: [String: String] = [:]
    package private(set) var parameterDefaults: [String: String] = [:]
    package private(set) var coding: HTTPCoding?
    package private(set) var acceptedStatuses: Set<Int>?
    package private(set) var problems: [any HTTPProblem.Type] = []
    package private(set) var bypassedDecorators: [any HTTPClientDecorator.Type] = []
    package private(set) var requestHeaders: [MessageField<Message>] = []
    package private(set) var responseHeaders: [MessageField<Message>] = []
    /// A ``HeaderReading`` of a ``ThirdPartyQuery``.
    package private(set) var headerReading: (any Sendable)?
    package private(set) var isForm = false
    package private(set) var envelope: String?
    package private(set) var successStatus: HTTPResponse.Status?
    package private(set) var bodyProperty = "body"
    /// A ``LiveQuery`` of the message, if its changes are reported.
    package private(set) var liveQuery: (any Sendable)?
    package private(set) var encodesEachTime = false

    package init(_ method: Method, _ path: String) {
        self.method = method
        self.path = path
    }

    private func with(_ change: (inout Self) -> Void) -> Self {
        var route = self
        change(&route)
        return route
    }
}

// MARK: Methods

/// The methods of queries, or those of commands.
public protocol HTTPRouteMethod: Hashable, Sendable {
    /// The method of the request.
    var httpMethod: HTTPRequest.Method { get }
}

/// The methods of queries.
public enum QueryMethod: HTTPRouteMethod {
    /// The properties are parameters of the URL, and the response can be cached.
    case get

    /// The properties that are not in the path are the body, for queries that are too long for a URL.
    case post

    /// `GET` or `POST`.
    public var httpMethod: HTTPRequest.Method {
        switch self {
        case .get: .get
        case .post: .post
        }
    }
}

/// The methods of RFC 9110 and RFC 5789 that change state.
public enum CommandMethod: HTTPRouteMethod {
    /// Processes the request; not idempotent.
    case post

    /// Creates or replaces a resource; idempotent.
    case put

    /// Changes a part of a resource.
    case patch

    /// Removes a resource; idempotent.
    case delete

    /// `POST`, `PUT`, `PATCH` or `DELETE`.
    public var httpMethod: HTTPRequest.Method {
        switch self {
        case .post: .post
        case .put: .put
        case .patch: .patch
        case .delete: .delete
        }
    }
}

extension HTTPRoute where Method == QueryMethod {
    /// A query whose properties are in the URL, and whose response can be cached.
    public static func get(_ path: String) -> Self { Self(.get, path) }

    /// A query whose properties are in the body, because they are too long for a URL.
    ///
    /// The request may be repeated, because a query changes nothing. The response has no entity tag.
    public static func post(_ path: String) -> Self { Self(.post, path) }
}

extension HTTPRoute where Method == CommandMethod {
    /// A command that the server processes; not idempotent (RFC 9110, section 9.3.3).
    public static func post(_ path: String) -> Self { Self(.post, path) }

    /// A command that creates or replaces a resource; idempotent (RFC 9110, section 9.3.4).
    public static func put(_ path: String) -> Self { Self(.put, path) }

    /// A command that changes a part of a resource (RFC 5789).
    public static func patch(_ path: String) -> Self { Self(.patch, path) }

    /// A command that removes a resource; idempotent (RFC 9110, section 9.3.5).
    ///
    /// Its properties are parameters of the URL, because content has no meaning in such a request.
    public static func delete(_ path: String) -> Self { Self(.delete, path) }
}

// MARK: The request

extension HTTPRoute {
    /// Sets wire names of properties, by coding key, in addition to those of the settings.
    ///
    /// In the parameters of a URL they also apply to nested properties. All other names follow `HTTPCoding(keys:)`.
    public func parameterNames(_ names: [String: String]) -> Self {
        with { $0.parameterNames.merge(names) { $1 } }
    }

    /// Sets what a server reads for required parameters that are missing: unencoded text, by wire name.
    ///
    /// A missing optional is nil, and a missing list is empty, so neither can have a default.
    public func parameterDefaults(_ defaults: [String: String]) -> Self {
        with { $0.parameterDefaults.merge(defaults) { $1 } }
    }

    /// Sets the representation of keys and dates in place of that of the settings.
    public func coding(_ coding: HTTPCoding) -> Self {
        with { $0.coding = coding }
    }

    /// Sends the properties that are not in the path as a form that is written like a query (URL Standard, section 5).
    ///
    /// An empty list is left out, so that an optional one is read as nil.
    public func formEncoded() -> Self {
        with { $0.isForm = true }
    }

    /// Adds a header field to the request.
    ///
    /// - Parameters:
    ///   - name: The name of the field.
    ///   - value: Its value, from the message's properties, because a server does not read it back: a closure, or a key
    ///     path such as `\.id.uuidString`. No field is sent for nil.
    public func requestHeader(_ name: HTTPField.Name, _ value: @escaping @Sendable (Message) -> String?) -> Self {
        with { $0.requestHeaders.append(MessageField(name: name, value: value)) }
    }

    /// Adds header fields that are the same for every request.
    public func requestHeaders(_ fields: HTTPFields) -> Self {
        with { $0.requestHeaders += fields.map { MessageField($0) } }
    }

    /// Lets the requests bypass decorators of the client.
    ///
    /// ```swift
    /// static let route: QueryRoute<Self> = .get("health").bypassing(RetryingHTTPClient.self)
    /// ```
    public func bypassing(_ decorators: any HTTPClientDecorator.Type...) -> Self {
        with { $0.bypassedDecorators += decorators }
    }
}

extension HTTPRoute where Method == QueryMethod {
    /// Puts the value into a member of an object, as in `{"article": …}`, also in answers of commands and in events.
    ///
    /// - Parameter member: The name on the wire. A client ignores other members.
    public func envelope(_ member: String) -> Self {
        with { $0.envelope = member }
    }
}

extension HTTPRoute where Method == QueryMethod {
    /// Encodes the value for each response, also one that a cache keeps.
    ///
    /// A payload that depends on the caller or the time needs this: `payload(from:answering:)` is otherwise called once
    /// for all who ask.
    public func encodingEachTime() -> Self {
        with { $0.encodesEachTime = true }
    }
}

extension HTTPRoute where Message: HTTPQuery, Message.Value: Sendable, Method == QueryMethod {
    /// Lets clients observe the value of the query: the server sends it again when it has changed.
    ///
    /// ```swift
    /// static let route: QueryRoute<Self> = .get("images/{image}/comments").live()
    /// ```
    ///
    /// The server needs a dispatcher that reports changes, such as a cache. A client that does not ask for events
    /// (`Accept: text/event-stream`) gets the value as from any other query.
    ///
    /// - Parameter events: The types of the events that have a value, if another server gives them types; `message` is
    ///   that of an event without one.
    public func live(events: Set<String> = ["message"]) -> Self {
        with { $0.liveQuery = LiveQuery<Message>(eventTypes: events) }
    }
}

extension HTTPRoute where Message: BodyCommand {
    /// Sets the coding key of the property that a server reads from the body; `body` by default.
    public func bodyProperty(_ key: String) -> Self {
        with { $0.bodyProperty = key }
    }
}

// MARK: The response

extension HTTPRoute {
    /// Declares errors that the sender of the message catches by their type, in addition to those of the list.
    public func throwing(_ problems: any HTTPProblem.Type...) -> Self {
        with { $0.problems += problems }
    }

    /// Sets the statuses that mean success to a client, in place of those of the settings.
    ///
    /// With `acceptedStatuses(200...299, [404, 410])`, a `DELETE` succeeds if there is nothing to remove anymore. A
    /// declared problem is not thrown for a response with one of these statuses.
    ///
    /// - Parameter statuses: Ranges and lists.
    public func acceptedStatuses(_ statuses: any Collection<Int>...) -> Self {
        with { $0.acceptedStatuses = statuses.reduce(into: []) { $0.formUnion($1) } }
    }

    /// Adds a header field to a successful response, such as `Cache-Control`.
    ///
    /// - Parameters:
    ///   - name: The name of the field.
    ///   - value: Its value, from the message's properties. No field is sent for nil.
    public func responseHeader(_ name: HTTPField.Name, _ value: @escaping @Sendable (Message) -> String?) -> Self {
        with { $0.responseHeaders.append(MessageField(name: name, value: value)) }
    }

    /// Adds header fields that are the same for every successful response.
    public func responseHeaders(_ fields: HTTPFields) -> Self {
        with { $0.responseHeaders += fields.map { MessageField($0) } }
    }
}

extension HTTPRoute where Message: ThirdPartyQuery, Method == QueryMethod {
    /// Completes each value with header fields of its response, such as `Content-Range`.
    ///
    /// ```swift
    /// static let route: QueryRoute<Self> = .get("todos")
    ///     .readingHeaders { page, fields in page.range = fields[.contentRange] }
    /// ```
    ///
    /// Only for servers that Duet does not write: a value that your server makes contains everything itself, because
    /// other carriers have no header fields. The events of a live query have none either.
    ///
    /// - Parameter read: Changes the value that was made from the body. The sender catches an error that it throws as
    ///   the reason of an ``HTTPFailure``.
    public func readingHeaders(
        _ read: @escaping @Sendable (_ value: inout Message.Value, _ fields: HTTPFields) throws -> Void
    ) -> Self {
        with { $0.headerReading = HeaderReading<Message>(read: read) }
    }
}

struct HeaderReading<Query: HTTPQuery>: Sendable {
    let read: @Sendable (_ value: inout Query.Value, _ fields: HTTPFields) throws -> Void
}

extension HTTPRoute where Method == CommandMethod {
    /// Sets the status of a successful response, by default 204 No Content (RFC 9110, section 15.3.5), or 200 OK for a
    /// command with an answer.
    public func responding(with status: HTTPResponse.Status) -> Self {
        with { $0.successStatus = status }
    }
}

// MARK: Fields

package struct MessageField<Message>: Sendable {
    let name: HTTPField.Name
    let value: @Sendable (Message) -> String?
}

extension MessageField {
    init(_ field: HTTPField) {
        self.init(name: field.name) { _ in field.value }
    }
}

extension HTTPFields {
    init<Message>(_ fields: [MessageField<Message>], of message: Message) {
        self.init()
        for field in fields {
            guard let value = field.value(message) else { continue }
            append(HTTPField(name: field.name, value: value))
        }
    }
}
