import AsyncHTTPClient
import NIOCore

extension NIOHTTPClient {
    /// How long a client waits, how much it reads and how far it follows.
    public struct Configuration: Sendable {
        /// How long a request may take in all: connection, redirects, head and body.
        public var deadline: Duration

        /// The largest body that is read, in bytes.
        public var maximumBodySize: Int

        /// How many redirects are followed for one request.
        public var maximumRedirects: Int

        /// Makes a configuration: 30 seconds, 16 MiB and 5 redirects unless told otherwise.
        public init(
            deadline: Duration = .seconds(30),
            maximumBodySize: Int = 16 * 1024 * 1024,
            maximumRedirects: Int = 5
        ) {
            self.deadline = deadline
            self.maximumBodySize = maximumBodySize
            self.maximumRedirects = maximumRedirects
        }

        var underlying: AsyncHTTPClient.HTTPClient.Configuration {
            // Connecting, or waiting for a free connection, must not fail before the deadline. Nor must an attempt that
            // nobody waits for go on for ever. Nanoseconds overflow for a deadline of centuries, hence the day.
            let connect = TimeAmount(min(max(deadline, .milliseconds(1)), .seconds(86_400)))
            var configuration = AsyncHTTPClient.HTTPClient.Configuration(
                redirectConfiguration: .disallow,
                timeout: .init(connect: connect),
                decompression: .disabled
            )
            // A refused connection fails at once; whether to try again is for a decorator to say.
            configuration.connectionPool.retryConnectionEstablishment = false
            return configuration
        }
    }
}
