import DuetHTTP
public import Foundation
public import HTTPTypes

extension CachingHTTPClient {
    /// Whose responses are whose, and how much a cache takes upon itself.
    public struct Configuration: Sendable {
        /// Tells whose responses a request may be answered with; nothing of one partition is ever served to another.
        ///
        /// Nil for what suits the policy. A private cache has one partition for each principal of the `ServiceContext` with each
        /// credential that the request carries in `Set.secrets` or ``secrets``; what it knows of none of them has to be told here, as
        /// a certificate or a token that a decorator nearer to the network adds. A shared cache has one partition for all: it sees
        /// that requests have `Authorization`, and no other credentials. Stores get a digest, which is never that of a cache of
        /// another kind: a private and a shared one can have one store, and share nothing.
        public var partition: (@Sendable (HTTPRequest) -> String)?

        /// What sets apart the caches that have one store where requests do not, as the server behind each: empty by default.
        public var namespace: String

        /// The fields besides the common ones, `Set.secrets`, that carry credentials of an API of its own.
        ///
        /// A private cache keeps their values apart, and none of them is written where it outlives the process unless
        /// ``storesSecretsDurably`` is set.
        public var secrets: Set<HTTPField.Name>

        /// Whether `Set.secrets` and ``secrets`` are written where they outlive the process: as `Set-Cookie`, and as what
        /// `Vary: Cookie` selects by.
        ///
        /// Without it a durable store keeps responses without the former, and those with the latter not at all.
        public var storesSecretsDurably: Bool

        /// How many bytes of one body are held in memory, so that requests for it can share one fetch: 16 MiB by default.
        ///
        /// All together hold no more than four times as many: beyond that those begun first are joined no longer, and hold no more
        /// than a sixteenth, or 128 KiB, for slow readers, also when they have ended.
        ///
        /// Nobody joins a longer one any more. No reader holds up the others: who is that many bytes behind the fastest of them
        /// reads on from the store when all is stored, or gets ``HTTPCacheError/leftBehind(url:limit:)`` when it is not.
        public var sharedBodyLimit: Int

        /// How many responses are kept for one URI of one partition, as `Vary` tells them apart: 32 by default.
        public var variantLimit: Int

        /// How many responses are validated in the background at a time: 8 by default.
        public var revalidationLimit: Int

        /// What the cache calls itself in `Cache-Status` (RFC 9211, section 2): `Duet` by default.
        public var name: String

        /// Tells the time: that of the system by default.
        public var now: @Sendable () -> Date

        /// Makes a configuration; what is left out has its default.
        public init(
            partition: (@Sendable (HTTPRequest) -> String)? = nil,
            namespace: String = "",
            secrets: Set<HTTPField.Name> = [],
            storesSecretsDurably: Bool = false,
            sharedBodyLimit: Int = 16 * 1024 * 1024,
            variantLimit: Int = 32,
            revalidationLimit: Int = 8,
            name: String = "Duet",
            now: @escaping @Sendable () -> Date = { Date() }
        ) {
            self.partition = partition
            self.namespace = namespace
            self.secrets = secrets
            self.storesSecretsDurably = storesSecretsDurably
            self.sharedBodyLimit = sharedBodyLimit
            self.variantLimit = variantLimit
            self.revalidationLimit = revalidationLimit
            self.name = name
            self.now = now
        }

        var allSecrets: Set<HTTPField.Name> { Set.secrets.union(secrets) }
    }
}
