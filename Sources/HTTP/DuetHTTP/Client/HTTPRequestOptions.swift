package import HTTPTypes

/// Information about a request for decorators and adapters that is not sent.
///
/// The options are task-local while a request is sent: all requests of a decorator, in child tasks too, have the same
/// options.
public struct HTTPRequestOptions: Sendable {
    /// The stable name of the message; nil for a request that was not made from a message.
    public var messageName: String?

    /// The path with names in place of values, as in `v1/image/{id}`, for metrics and traces; nil without one.
    public var pathTemplate: String?

    package var bypassedDecorators: [any HTTPClientDecorator.Type] = []

    /// The largest response body that is read, in bytes; an adapter reads no more than this.
    public var maximumBodySize: Int?

    /// Whether the adapter reads the whole response body before it returns.
    ///
    /// Decorators then see the body as ``HTTPBody/whole``, and retries and deadlines cover all of it. An adapter also
    /// limits a collected body to its own maximum size.
    public var collectsBody = false

    /// Whether a redirect is followed, so that its body is not collected.
    var followsRedirects = false

    /// A request that changes nothing although its method might, such as a query that is sent as a POST; empty for all
    /// others.
    ///
    /// It is recognized by what it is and not by a flag, because other requests are sent with the same options, for
    /// example one for a token. A list is copied as one word, and a request as dozens, for each message.
    package var safeRequests: [HTTPRequest] = []

    /// The statuses with which a response has the value of a message, so that its body must be complete.
    package var acceptedStatuses: Set<Int> = []

    /// Whether such a response counts also if its body is lost, as that of a command, which has succeeded then.
    package var mayLoseBody = false

    /// The server of the dispatcher that sends the message; nil for a request that was not made from a message.
    var server: HTTPOrigin?

    /// The number of this attempt, which a retry sets; 1 for the first.
    package internal(set) var attempt = 1

    /// Records the attempts; nil for a request that was not made from a message.
    var attempts: AttemptLog?

    /// Whether a request is one of the safe requests, apart from its header fields.
    package func isSafe(_ request: HTTPRequest) -> Bool {
        safeRequests.contains {
            $0.method == request.method && $0.path == request.path && $0.authority == request.authority
                && $0.scheme == request.scheme
        }
    }

    package init() {}

    /// The options of the request that is being sent in this task.
    public static var current: HTTPRequestOptions { bound ?? HTTPRequestOptions() }

    package func collectsBody(of response: HTTPResponse) -> Bool {
        collectsBody && !(followsRedirects && response.isRedirect)
    }

    /// Runs `operation` with these options for the requests that it sends.
    public func use<Value>(_ operation: () async throws -> Value) async rethrows -> Value {
        try await Self.$bound.withValue(self) { try await operation() }
    }

    /// Runs `operation` with the current options and ``collectsBody`` set.
    static func collectingBody<Value>(_ operation: () async throws -> Value) async rethrows -> Value {
        if bound?.collectsBody == true { return try await operation() }
        var options = current
        options.collectsBody = true
        return try await options.use(operation)
    }

    /// Runs `operation` without options, as outside of any request.
    static func useNone<Value>(_ operation: () async throws -> Value) async rethrows -> Value {
        try await $bound.withValue(nil) { try await operation() }
    }

    /// Whether the request that is being sent in this task bypasses a decorator.
    ///
    /// Each decorator checks this for each request. The options are therefore a separate task-local value: one in the
    /// `ServiceContext` would be looked up in a dictionary and cast.
    package static func skip(_ decorator: any HTTPClientDecorator.Type) -> Bool {
        guard let bound, !bound.bypassedDecorators.isEmpty else { return false }
        return bound.bypassedDecorators.contains { $0 == decorator }
    }

    @TaskLocal private static var bound: HTTPRequestOptions?
}
