#if HTTP

    public import DuetHTTPCaching

    /// The requirements for every store of an HTTP cache, one per clause.
    ///
    /// ```swift
    /// @Test(arguments: HTTPCacheStoreContract.allCases)
    /// func `the HTTP store keeps its contract`(clause: HTTPCacheStoreContract) async throws {
    ///     try await clause.verify { InMemoryHTTPCacheStore() }
    /// }
    /// ```
    public struct HTTPCacheStoreContract: CaseIterable, Sendable, CustomStringConvertible {
        private typealias Check =
            @Sendable (_ subject: HTTPCacheStoreSubject, _ open: () async throws -> any HTTPCacheStore) async throws ->
            Void

        /// The requirement.
        public let description: String

        private let check: Check

        private init(
            _ description: String,
            _ check: @escaping @Sendable (HTTPCacheStoreSubject) -> () async throws -> Void
        ) {
            self.init(description) { subject, _ in try await check(subject)() }
        }

        private init(_ description: String, _ check: @escaping Check) {
            self.description = description
            self.check = check
        }

        /// All requirements.
        public static let allCases = [
            Self("an empty store has nothing") { $0.hasNothing },
            Self("a response comes back as it was stored, twice") { $0.keepsResponses },
            Self("the response that was stored last comes first") { $0.ordersByInsertion },
            Self("replacing happens in one step") { $0.replacesInOneStep },
            Self("insertions at the same time do not disturb each other") { $0.takesManyAtOnce },
            Self("replacing and removing what is gone change nothing else") {
                $0.toleratesMissingResponses
            },
            Self("partitions never mix") { $0.keepsPartitionsApart },
            Self("removing takes what is named and nothing else") { $0.removesNamedResponses },
            Self("removing a URI takes it from all partitions") { $0.removesURIs },
            Self("removing a prefix takes all URIs that begin with it") { $0.removesPrefixes },
            Self("removing everything leaves nothing") { $0.removesEverything },
            Self("a durable store has everything when it is opened again") { try await $0.endures($1) },
            Self("durable stores on one place see each other's work") { try await $0.sharesItsLocation($1) },
        ]

        /// Checks this clause.
        ///
        /// - Parameter open: Opens a store with room for 16 MiB. Within one `verify`, each call must open a durable
        ///   store at the same location, which is empty at first.
        /// - Throws: ``ContractViolation``, or an error of the store where the contract allows none.
        public func verify(_ open: () async throws -> any HTTPCacheStore) async throws {
            try await check(HTTPCacheStoreSubject(open()), open)
        }
    }

#endif
