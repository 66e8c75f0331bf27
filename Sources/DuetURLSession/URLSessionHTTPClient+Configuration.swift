import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension URLSessionHTTPClient {
    /// How long a client waits and how much it reads.
    public struct Configuration: Hashable, Sendable {
        /// How long one exchange may take: connection, head and body.
        public var deadline: Duration

        /// The largest body that is read, in bytes; a message may ask for less.
        public var maximumBodySize: Int

        /// Makes a configuration: 30 seconds and 16 MiB unless told otherwise.
        public init(deadline: Duration = .seconds(30), maximumBodySize: Int = 16 * 1024 * 1024) {
            self.deadline = deadline
            self.maximumBodySize = maximumBodySize
        }
    }
}

extension URLSessionHTTPClient.Configuration {
    /// A session that remembers nothing: cookies, credentials and cached answers are for decorators.
    static var session: URLSessionConfiguration {
        let session = URLSessionConfiguration.ephemeral
        // On Linux a task that is cancelled while its cache is asked traps.
        session.urlCache = nil
        session.requestCachePolicy = .reloadIgnoringLocalCacheData
        session.urlCredentialStorage = nil
        session.httpCookieStorage = nil
        session.httpCookieAcceptPolicy = .never
        session.httpShouldSetCookies = false
        // The deadline is kept by the client: these are whole seconds on Linux, and the second is ignored there.
        session.timeoutIntervalForRequest = never
        session.timeoutIntervalForResource = never
        return session
    }

    /// A year, in seconds: longer than any deadline, and no timer overflows.
    static let never: TimeInterval = 31_536_000
}
