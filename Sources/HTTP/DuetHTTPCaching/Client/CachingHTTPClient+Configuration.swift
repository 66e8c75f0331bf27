import DuetHTTP
public import Foundation
public import HTTPTypes

extension CachingHTTPClient {
    /// The partitions, limits and clocks of a cache.
    ///
    /// ```swift
    /// let configuration = CachingHTTPClient.Configuration(
    ///     secrets: [.from],
    ///     waitLimit: .seconds(1),
    ///     variantLimit: 4,
    ///     name: "app"
    /// )
    /// ```
    public struct Configuration: Sendable {
        package var partition: (@Sendable (HTTPRequest) -> String)?
        package var secrets: Set<HTTPField.Name>
        package var storesSecretsDurably: Bool
        package var maximumBodySize: Int
        package var waitLimit: Duration
        package var storeTimeout: Duration
        package var variantLimit: Int
        package var name: String
        package var now: @Sendable () -> Date
        package var clock: any Clock<Duration>

        /// Creates a configuration.
        ///
        /// - Parameters:
        ///   - partition: Returns the partition of a request; responses of one partition are never served to another.
        ///
        ///     Nil, the default, means one partition for each principal of the `ServiceContext` with each combination
        ///     of credentials in the request's common fields and `secrets`.
        ///
        ///     Set this if users differ in something else, such as a client certificate or a token that a decorator
        ///     nearer to the network adds. Stores receive a digest.
        ///   - secrets: Fields that carry credentials, besides the common ones that
        ///     `followingRedirects(atMost:secrets:)` lists.
        ///
        ///     The cache separates their values. None of them is written to a durable store, unless
        ///     `storesSecretsDurably` is set.
        ///   - storesSecretsDurably: Whether durable stores receive fields with credentials; false by default.
        ///
        ///     Otherwise, a durable store keeps responses without such fields, for example without `Set-Cookie`, and
        ///     does not keep responses that `Vary` selects by such a field, for example by `Cookie`.
        ///   - maximumBodySize: The number of bytes of the largest body that is stored; 4 MiB by default.
        ///
        ///     A body that is stored is read before its response is returned. A larger one is passed on as it arrives.
        ///   - waitLimit: How long a request waits for another one that fetches the same response; 5 seconds by
        ///     default.
        ///
        ///     After that, it is sent to the origin too.
        ///   - storeTimeout: How long one operation of a durable store may delay a request; 1 second by default.
        ///
        ///     Requests then continue as if nothing were stored, and do not use the store until that operation has
        ///     ended.
        ///   - variantLimit: The largest number of variants that are stored for one URI and partition; 32 by default.
        ///
        ///     `Vary` distinguishes variants.
        ///   - name: The name of the cache in `Cache-Status` (RFC 9211, section 2); `Duet` by default.
        ///   - now: Returns the current date, for the age of responses.
        ///   - clock: Measures `waitLimit` and `storeTimeout`.
        public init(
            partition: (@Sendable (HTTPRequest) -> String)? = nil,
            secrets: Set<HTTPField.Name> = [],
            storesSecretsDurably: Bool = false,
            maximumBodySize: Int = 4 * 1024 * 1024,
            waitLimit: Duration = .seconds(5),
            storeTimeout: Duration = .seconds(1),
            variantLimit: Int = 32,
            name: String = "Duet",
            now: @escaping @Sendable () -> Date = { Date() },
            clock: any Clock<Duration> = ContinuousClock()
        ) {
            self.partition = partition
            self.secrets = secrets
            self.storesSecretsDurably = storesSecretsDurably
            self.maximumBodySize = maximumBodySize
            self.waitLimit = waitLimit
            self.storeTimeout = storeTimeout
            self.variantLimit = variantLimit
            self.name = name
            self.now = now
            self.clock = clock
        }

        var allSecrets: Set<HTTPField.Name> { Set.sensitiveHeaderFields.union(secrets) }
    }
}
