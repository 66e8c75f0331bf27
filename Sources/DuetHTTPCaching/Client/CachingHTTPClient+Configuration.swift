import DuetHTTP
public import HTTPTypes

extension CachingHTTPClient {
    /// Whose responses are whose, and how much a cache takes upon itself.
    public struct Configuration: Sendable {
        /// Tells whose responses a request may be answered with; nothing of one partition is ever served to another.
        ///
        /// Nil for what suits the policy. A private cache has one partition for each principal of the `ServiceContext` with each
        /// credential that the request carries in ``secrets``; what it knows of none of them has to be told here, as a certificate
        /// or a token that a decorator nearer to the network adds. A shared cache has one partition for all. Stores get a digest.
        public var partition: (@Sendable (HTTPRequest) -> String)?

        /// The fields besides the common ones, `Set.secrets`, that carry credentials of an API of its own.
        ///
        /// A private cache keeps their values apart, and none of them is written where it outlives the process.
        public var secrets: Set<HTTPField.Name> = []

        /// How many bytes of one body are held in memory, so that requests for it can share one fetch: 16 MiB by default.
        ///
        /// All together hold no more than four times as many for those who come late: those begun first are joined no longer.
        ///
        /// Nobody joins a longer one any more. No reader holds up the others: who is that many bytes behind the fastest of them gets
        /// an error instead of the rest.
        public var sharedBodyLimit = 16 * 1024 * 1024

        /// How many responses are kept for one URI of one partition, as `Vary` tells them apart: 32 by default.
        public var variantLimit = 32

        /// How many responses are validated in the background at a time: 8 by default.
        public var revalidationLimit = 8

        /// Whether ``secrets`` are written where they outlive the process: as `Set-Cookie`, and as what `Vary: Cookie` selects by.
        ///
        /// Without it a durable store keeps responses without the former, and those with the latter not at all.
        public var storesSecretsDurably = false

        /// What the cache calls itself in `Cache-Status` (RFC 9211, section 2).
        public var name = "Duet"

        /// Makes a configuration with the defaults.
        public init() {}

        var allSecrets: Set<HTTPField.Name> { Set.secrets.union(secrets) }
    }
}
