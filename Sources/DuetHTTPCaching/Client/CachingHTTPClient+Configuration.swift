import DuetHTTP
public import Foundation
public import HTTPTypes

extension CachingHTTPClient {
    /// The partitions, limits and clocks of a cache.
    public struct Configuration: Sendable {
        /// Returns the partition of a request; responses of one partition are never served to another.
        ///
        /// Nil for the default of the policy. A private cache has one partition for each principal of the
        /// `ServiceContext` with each credential in the request's `Set.secrets` or ``secrets``. Set this if users
        /// differ in something else, such as a client certificate or a token that a decorator nearer to the network
        /// adds. A shared cache has one partition for all users: it respects `Authorization` (RFC 9111, section 3.5),
        /// and knows no other credentials. Stores receive a digest that differs between kinds of caches: a private and
        /// a shared cache may use one store, and share nothing.
        public var partition: (@Sendable (HTTPRequest) -> String)?

        /// Separates caches that use one store, where requests do not, such as the caches of several servers; empty by
        /// default.
        public var namespace: String

        /// Fields besides `Set.secrets` that carry credentials.
        ///
        /// A private cache separates their values. None of them is written to a durable store, unless
        /// ``storesSecretsDurably`` is set.
        public var secrets: Set<HTTPField.Name>

        /// Whether `Set.secrets` and ``secrets`` are written to durable stores, as in `Set-Cookie` and the values that
        /// `Vary: Cookie` selects by.
        ///
        /// Otherwise a durable store keeps responses without such fields, and does not keep responses that are selected
        /// by them.
        public var storesSecretsDurably: Bool

        /// How long a request waits for another one that fetches the same response, before it is sent itself: 5 seconds
        /// by default.
        public var waitLimit: Duration

        /// How many variants of a response, as `Vary` distinguishes them, are kept for one URI and partition: 32 by
        /// default.
        public var variantLimit: Int

        /// How many responses are validated in the background at a time: 8 by default.
        public var revalidationLimit: Int

        /// The name of the cache in `Cache-Status` (RFC 9211, section 2): `Duet` by default.
        public var name: String

        /// Returns the current date, for the age of responses.
        public var now: @Sendable () -> Date

        /// Measures ``waitLimit``.
        public var clock: any Clock<Duration>

        /// Creates a configuration.
        public init(
            partition: (@Sendable (HTTPRequest) -> String)? = nil,
            namespace: String = "",
            secrets: Set<HTTPField.Name> = [],
            storesSecretsDurably: Bool = false,
            waitLimit: Duration = .seconds(5),
            variantLimit: Int = 32,
            revalidationLimit: Int = 8,
            name: String = "Duet",
            now: @escaping @Sendable () -> Date = { Date() },
            clock: any Clock<Duration> = ContinuousClock()
        ) {
            self.partition = partition
            self.namespace = namespace
            self.secrets = secrets
            self.storesSecretsDurably = storesSecretsDurably
            self.waitLimit = waitLimit
            self.variantLimit = variantLimit
            self.revalidationLimit = revalidationLimit
            self.name = name
            self.now = now
            self.clock = clock
        }

        var allSecrets: Set<HTTPField.Name> { Set.secrets.union(secrets) }
    }
}
