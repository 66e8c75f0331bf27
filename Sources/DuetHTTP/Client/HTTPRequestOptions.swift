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

    /// The largest body of an answer that is read, in bytes; adapters read no more than this and their own limit.
    public var maximumBodySize: Int?

    /// Is told of each interim answer (status 100 to 199) before the answer, by clients that can see them.
    public var onInterimAnswer: (@Sendable (HTTPResponse) -> Void)?

    /// How often the request has been sent with this time, as a retry counts; the first time is 1.
    public internal(set) var attempt = 1

    /// Options that ask for nothing.
    public init() {}

    /// Those of the request that is being sent in this task.
    public static var current: HTTPRequestOptions { bound ?? HTTPRequestOptions() }

    /// Runs `operation` with these options as those of the requests that it sends.
    public func use<Value>(_ operation: () async throws -> Value) async rethrows -> Value {
        try await Self.$bound.withValue(self) { try await operation() }
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
