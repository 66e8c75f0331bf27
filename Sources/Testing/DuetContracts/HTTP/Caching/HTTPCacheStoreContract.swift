#if HTTP

    public import DuetHTTPCaching

    /// The requirements for every store of an HTTP cache, one per case.
    ///
    /// ```swift
    /// @Test(arguments: HTTPCacheStoreContract.allCases)
    /// func `the HTTP store keeps its contract`(clause: HTTPCacheStoreContract) async throws {
    ///     try await clause.verify { capacity in InMemoryHTTPCacheStore(capacity: capacity) }
    /// }
    /// ```
    public enum HTTPCacheStoreContract: CaseIterable, Sendable {
        /// An empty store finds nothing and throws no errors.
        case `an empty store has nothing`
        /// Reading does not change the store.
        case `a response comes back as it was stored, twice`
        /// Before the commit, readers see neither the head nor the body, and a replaced response still exists.
        case `nothing is seen before the commit`
        /// A response is stored completely or not at all.
        case `what is discarded or let go of was never there`
        /// An empty body is a body, too.
        case `a body may be empty`
        /// The sizes of the pieces do not matter.
        case `a large body comes back whole from pieces of any size`
        /// Ranges may begin and end anywhere, cross the boundaries of pieces, be empty, or extend beyond the end.
        case `any range of a body can be read`
        /// The order is that of the commits, not of the writers' creation.
        case `the response that was stored last comes first`
        /// A concurrent reader sees the old response or the new one, never both and never neither.
        case `replacing happens in one step`
        /// This applies even after everything was removed.
        case `an id is never given twice`
        /// The body is read to its end, or the read fails. It never ends early without an error.
        case `a body that was begun is read to its end or fails`
        /// A reader that holds the body can read all of it.
        case `a body that was handed out is whole although its entry is removed, replaced or trimmed`
        /// A validation supplies a new head but no body.
        case `updating changes the head and keeps the body`
        /// Another task may have removed the response.
        case `updating, using and removing what is gone change nothing`
        /// The commit evicts before it returns.
        case `what was used longest ago goes first, and at once`
        /// Marks and updates count as use; lookups do not.
        case `marking and updating count as use`
        /// The size includes the head and is tested at one byte less, exactly, and one byte more.
        case `what is larger than a quarter of the store is refused, and what it replaces goes`
        /// An endless body is discarded, and evicts few other responses.
        case `what turns out to be too large drives out a quarter at most`
        /// The number of concurrent writers does not matter.
        case `what is being stored drives out a half at most`
        /// The length is known before the body.
        case `what is announced as too large drives out nothing`
        /// A larger head needs room, too.
        case `an update makes room for itself`
        /// A response of one partition is never served to another.
        case `partitions never mix`
        /// A URI does not match another URI that begins with it.
        case `removing takes what is named and nothing else`
        /// An unsafe method invalidates all of them.
        case `removing a URI takes it from all partitions`
        /// URIs with the prefix are removed from all partitions, and no others.
        case `removing a prefix takes all URIs that begin with it`
        /// The size is zero afterward.
        case `removing everything leaves nothing`
        /// Each response counts with its body and its head, and nothing else.
        case `the size is that of what is there`
        /// Each writer stores the bytes that it received.
        case `writers of one key do not disturb each other`
        /// This applies to a store that is durable; see ``/DuetHTTPCaching/HTTPCacheStore/isDurable``.
        case `a durable store has everything when it is opened again`
        /// This applies to a store that is durable; see ``/DuetHTTPCaching/HTTPCacheStore/isDurable``.
        case `durable stores on one place see each other's work`

        /// Checks this clause.
        ///
        /// - Parameter open: Opens a store with a capacity in bytes. Within one `verify`, each call must open a durable
        ///   store at the same location, which is empty at first.
        /// - Throws: ``ContractViolation``, or an error of the store where the contract allows none.
        public func verify(_ open: (_ capacity: Int64) async throws -> any HTTPCacheStore) async throws {
            let subject = try await HTTPCacheStoreSubject(open(64 * 1024 * 1024))
            switch self {
            case .`an empty store has nothing`: try await subject.hasNothing()
            case .`a response comes back as it was stored, twice`: try await subject.keepsResponses()
            case .`nothing is seen before the commit`: try await subject.hidesUntilCommit()
            case .`what is discarded or let go of was never there`: try await subject.forgetsDiscardedResponses()
            case .`a body may be empty`: try await subject.keepsEmptyBodies()
            case .`a large body comes back whole from pieces of any size`: try await subject.keepsLargeBodies()
            case .`any range of a body can be read`: try await subject.readsRanges()
            case .`the response that was stored last comes first`: try await subject.ordersByCommit()
            case .`replacing happens in one step`: try await subject.replacesInOneStep()
            case .`an id is never given twice`: try await subject.neverReusesIDs()
            case .`a body that was begun is read to its end or fails`: try await subject.finishesBodies()
            case .`a body that was handed out is whole although its entry is removed, replaced or trimmed`:
                try await subject.keepsBodiesThatAreRead(open)
            case .`updating changes the head and keeps the body`: try await subject.updatesHeads()
            case .`updating, using and removing what is gone change nothing`:
                try await subject.toleratesMissingResponses()
            case .`what was used longest ago goes first, and at once`: try await subject.trims(open)
            case .`marking and updating count as use`: try await subject.countsUse(open)
            case .`what is larger than a quarter of the store is refused, and what it replaces goes`:
                try await subject.refusesLargeResponses(open)
            case .`what turns out to be too large drives out a quarter at most`:
                try await subject.survivesEndlessBodies(open)
            case .`what is being stored drives out a half at most`: try await subject.survivesManyWriters(open)
            case .`what is announced as too large drives out nothing`: try await subject.heedsLengths(open)
            case .`an update makes room for itself`: try await subject.makesRoomForUpdates(open)
            case .`partitions never mix`: try await subject.keepsPartitionsApart()
            case .`removing takes what is named and nothing else`: try await subject.removesNamedResponses()
            case .`removing a URI takes it from all partitions`: try await subject.removesURIs()
            case .`removing a prefix takes all URIs that begin with it`: try await subject.removesPrefixes()
            case .`removing everything leaves nothing`: try await subject.removesEverything()
            case .`the size is that of what is there`: try await subject.countsBytes()
            case .`writers of one key do not disturb each other`: try await subject.servesManyWriters()
            case .`a durable store has everything when it is opened again`: try await subject.endures(open)
            case .`durable stores on one place see each other's work`: try await subject.sharesItsLocation(open)
            }
        }
    }

#endif
