#if HTTP

    public import DuetHTTPCaching

    /// The requirements for every store of an HTTP cache, one per case.
    ///
    /// ```swift
    /// @Test(arguments: HTTPCacheStoreContract.allCases)
    /// func `the HTTP store keeps its contract`(clause: HTTPCacheStoreContract) async throws {
    ///     try await clause.verify { InMemoryHTTPCacheStore() }
    /// }
    /// ```
    public enum HTTPCacheStoreContract: CaseIterable, Sendable {
        /// An empty store finds nothing, and removes nothing without an error.
        case `an empty store has nothing`
        /// Reading does not change the store. A body may be empty or large.
        case `a response comes back as it was stored, twice`
        /// A key has one response for each variant.
        case `the response that was stored last comes first`
        /// A concurrent reader sees the old response or the new one, never both and never neither.
        case `replacing happens in one step`
        /// Each insertion under one key keeps the others.
        case `insertions at the same time do not disturb each other`
        /// Another task may have removed the response.
        case `replacing and removing what is gone change nothing else`
        /// A response of one partition is never served to another.
        case `partitions never mix`
        /// Other responses under the key stay.
        case `removing takes what is named and nothing else`
        /// An unsafe method invalidates all of them, and no URI that begins with it.
        case `removing a URI takes it from all partitions`
        /// URIs with the prefix are removed from all partitions, and no others.
        case `removing a prefix takes all URIs that begin with it`
        /// Nothing is found afterward.
        case `removing everything leaves nothing`
        /// This applies to a store that is durable; see ``/DuetHTTPCaching/HTTPCacheStore/isDurable``.
        case `a durable store has everything when it is opened again`
        /// This applies to a store that is durable; see ``/DuetHTTPCaching/HTTPCacheStore/isDurable``.
        case `durable stores on one place see each other's work`

        /// Checks this clause.
        ///
        /// - Parameter open: Opens a store with room for 16 MiB. Within one `verify`, each call must open a durable
        ///   store at the same location, which is empty at first.
        /// - Throws: ``ContractViolation``, or an error of the store where the contract allows none.
        public func verify(_ open: () async throws -> any HTTPCacheStore) async throws {
            let subject = try await HTTPCacheStoreSubject(open())
            switch self {
            case .`an empty store has nothing`: try await subject.hasNothing()
            case .`a response comes back as it was stored, twice`: try await subject.keepsResponses()
            case .`the response that was stored last comes first`: try await subject.ordersByInsertion()
            case .`replacing happens in one step`: try await subject.replacesInOneStep()
            case .`insertions at the same time do not disturb each other`: try await subject.takesManyAtOnce()
            case .`replacing and removing what is gone change nothing else`:
                try await subject.toleratesMissingResponses()
            case .`partitions never mix`: try await subject.keepsPartitionsApart()
            case .`removing takes what is named and nothing else`: try await subject.removesNamedResponses()
            case .`removing a URI takes it from all partitions`: try await subject.removesURIs()
            case .`removing a prefix takes all URIs that begin with it`: try await subject.removesPrefixes()
            case .`removing everything leaves nothing`: try await subject.removesEverything()
            case .`a durable store has everything when it is opened again`: try await subject.endures(open)
            case .`durable stores on one place see each other's work`: try await subject.sharesItsLocation(open)
            }
        }
    }

#endif
