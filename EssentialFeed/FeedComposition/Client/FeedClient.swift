public import Duet
import DuetDependencies

/// The client side of the feed.
///
/// Screens are given the dispatcher and nothing else.
public enum FeedClient {
    /// Tells the person who uses the program something that they should know.
    public typealias Notice = @Sendable (_ text: String) -> Void

    /// Makes the client, hands its dispatcher to `body` and closes everything afterwards.
    ///
    /// A cache that cannot be read is set aside with its bytes, and a new one is made; `notice` says so.
    ///
    /// - Throws: What `body` throws; `InvalidBaseURL`; ``ExposedToken``; the cache's own error when none can be made.
    public static func withDispatcher<Value: Sendable>(
        _ options: ClientOptions,
        environment: Environment,
        notice: @escaping Notice,
        body: @Sendable (_ dispatcher: any CommandQueryDispatcher) async throws -> Value
    ) async throws -> Value {
        try await Container.client(options, environment: environment, notice: notice).use { container in
            try await container.openStore()
            return try await body(container.resolve())
        }
    }
}
