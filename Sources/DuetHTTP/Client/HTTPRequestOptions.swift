public import HTTPTypes

/// What a decorator or an adapter may want to know of a request besides what is sent.
///
/// It is the task's own while the request is sent: what a decorator sends, in child tasks too, has the same options.
public struct HTTPRequestOptions: Sendable {
    /// The stable name of the message that is sent; nil for a request that is not made of a message.
    public var messageName: String?

    /// The path with names in place of values, as in `v1/image/{id}`, for metrics and traces; nil when there is none.
    public var pathTemplate: String?

    /// The decorators that the request goes past.
    public var withoutDecorators: [any HTTPClientDecorator.Type] = []

    /// The largest body of an answer that is read, in bytes, whole or as it comes; adapters read no more than this, and of
    /// whole bodies no more than their own limit.
    public var maximumBodySize: Int?

    /// Is told of each interim answer (status 100 to 199) before the answer, by clients that can see them.
    public var onInterimAnswer: (@Sendable (HTTPResponse) -> Void)?

    /// A request that changes nothing although its method might, a query that is sent as a POST; empty for all others.
    ///
    /// It is told by what it is and not by a flag, because others are sent with the same options: one for a token, say. A list
    /// is copied as one word, and a request as dozens, for each message.
    package var safeRequests: [HTTPRequest] = []

    /// How often the request has been sent with this time, as a retry counts; the first time is 1.
    public internal(set) var attempt = 1

    /// Where the attempts are noted; nil for a request that is not made of a message.
    var attempts: AttemptLog?

    /// Whether a request is the one that changes nothing, whatever fields were added to it.
    package func isSafe(_ request: HTTPRequest) -> Bool {
        safeRequests.contains {
            $0.method == request.method && $0.path == request.path && $0.authority == request.authority
                && $0.scheme == request.scheme
        }
    }

    /// Options that ask for nothing.
    public init() {}

    /// Those of the request that is being sent in this task.
    public static var current: HTTPRequestOptions { bound ?? HTTPRequestOptions() }

    /// Runs `operation` with these options as those of the requests that it sends.
    public func use<Value>(_ operation: () async throws -> Value) async rethrows -> Value {
        try await Self.$bound.withValue(self) { try await operation() }
    }

    /// Runs `operation` as if it were part of no request.
    static func useNone<Value>(_ operation: () async throws -> Value) async rethrows -> Value {
        try await $bound.withValue(nil) { try await operation() }
    }

    /// Whether the request that is being sent in this task goes past a decorator.
    ///
    /// Asked by each decorator of each request, which is why the options are a task-local value of their own: one in the
    /// `ServiceContext` would be looked up in a dictionary and cast.
    package static func skip(_ decorator: any HTTPClientDecorator.Type) -> Bool {
        guard let bound, !bound.withoutDecorators.isEmpty else { return false }
        return bound.withoutDecorators.contains { $0 == decorator }
    }

    @TaskLocal private static var bound: HTTPRequestOptions?
}
