public import Duet
import DuetDependencies

/// The client side of the feed.
///
/// Screens use only its dispatcher.
public enum FeedClient {
    /// Receives a warning for the user of the program.
    public typealias WarningHandler = @Sendable (_ text: String) -> Void

    /// Runs `body` with a client's dispatcher, and closes everything afterwards.
    ///
    /// An unreadable cache is set aside with its bytes and replaced by a new one, and `onWarning` is called.
    ///
    /// - Throws: The error that `body` throws; `InvalidBaseURL`; ``ExposedToken``; the cache's own error when none can be
    ///   created.
    public static func withDispatcher<Value: Sendable>(
        _ options: ClientOptions,
        environment: Environment,
        onWarning: @escaping WarningHandler,
        body: @Sendable (_ dispatcher: any CommandQueryDispatcher) async throws -> Value
    ) async throws -> Value {
        try await Container.client(options, environment: environment, onWarning: onWarning).use { container in
            try await container.openStore()
            return try await body(container.resolve())
        }
    }
}
