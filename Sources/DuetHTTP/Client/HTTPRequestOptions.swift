import ServiceContextModule

/// What a decorator or an adapter may want to know of a request besides what is sent.
///
/// It lies in the task's `ServiceContext` while the request is sent.
public struct HTTPRequestOptions: Sendable {
    /// The stable name of the message that is sent; nil for a request that is not made of a message.
    public var messageName: String?

    /// The path with names in place of values, as in `v1/image/{id}`, for metrics and traces; nil when there is none.
    public var pathTemplate: String?

    /// The decorators that the request goes past.
    public var withoutDecorators: [any HTTPClientDecorator.Type] = []

    /// The largest body of an answer that is read, in bytes; adapters read no more than this and their own limit.
    public var maximumBodySize: Int?

    /// Options that ask for nothing.
    public init() {}

    /// Those of the request that is being sent in this task.
    public static var current: HTTPRequestOptions {
        ServiceContext.current?[Key.self] ?? HTTPRequestOptions()
    }

    /// Runs `operation` with these options as those of the requests that it sends.
    public func use<Value>(_ operation: () async throws -> Value) async rethrows -> Value {
        var context = ServiceContext.current ?? .topLevel
        context[Key.self] = self
        return try await ServiceContext.withValue(context) { try await operation() }
    }

    private enum Key: ServiceContextKey {
        typealias Value = HTTPRequestOptions
    }
}
