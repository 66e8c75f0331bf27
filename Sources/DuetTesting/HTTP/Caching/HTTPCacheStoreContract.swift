#if HTTP

    public import DuetHTTPCaching

    /// What every store of an HTTP cache promises, clause by clause.
    ///
    /// ```swift
    /// @Test(arguments: HTTPCacheStoreContract.allCases)
    /// func `it keeps the contract`(clause: HTTPCacheStoreContract) async throws {
    ///     try await clause.verify { capacity in try MyStore(at: place, capacity: capacity) }
    /// }
    /// ```
    public enum HTTPCacheStoreContract: CaseIterable, Sendable {
        /// Nothing there, nothing found, and nothing to be sorry for.
        case `an empty store has nothing`
        /// Reading does not change what is there.
        case `a response comes back as it was stored, twice`
        /// Neither its head, nor its body, nor what it replaces.
        case `nothing is seen before the commit`
        /// Whole or not at all.
        case `what is discarded or let go of was never there`
        /// No bytes are a body too.
        case `a body may be empty`
        /// However the pieces are cut.
        case `a large body comes back whole from pieces of any size`
        /// From, to, across the bounds of pieces, empty, and beyond the end.
        case `any range of a body can be read`
        /// By their commits, not by their beginnings.
        case `the response that was stored last comes first`
        /// Who looks meanwhile sees the old one or the new one, never both and never none.
        case `replacing happens in one step`
        /// Not even after everything was removed.
        case `an id is never given twice`
        /// To its end, or to an error: never cut short as if it were whole.
        case `a body that was begun is read to its end or fails`
        /// Nor does that end it: who has it reads all of it.
        case `a body that was handed out is whole although its entry is removed, replaced or trimmed`
        /// A validation brings a head and no body.
        case `updating changes the head and keeps the body`
        /// Somebody else may have removed it.
        case `updating, using and removing what is gone change nothing`
        /// Before the commit returns.
        case `what was used longest ago goes first, and at once`
        /// Marks and updates count; looking does not.
        case `marking and updating count as use`
        /// With its head: one byte less, exactly, one more.
        case `what is larger than a quarter of the store is refused, and what it replaces goes`
        /// An endless body is one that is broken off; who asks for others must not pay for it.
        case `what turns out to be too large drives out a quarter at most`
        /// However many bodies come at once.
        case `what is being stored drives out a half at most`
        /// The length comes before the body.
        case `what is announced as too large drives out nothing`
        /// A larger head needs room too.
        case `an update makes room for itself`
        /// Nothing of one is ever served to another.
        case `partitions never mix`
        /// And one URI is not another that begins like it.
        case `removing takes what is named and nothing else`
        /// An unsafe method makes them all invalid.
        case `removing a URI takes it from all partitions`
        /// Those that begin so, in all partitions, and no others.
        case `removing a prefix takes all URIs that begin with it`
        /// The size is nothing then.
        case `removing everything leaves nothing`
        /// Each response counts with its body, its head, and nothing besides.
        case `the size is that of what is there`
        /// Each stores its own bytes.
        case `writers of one key do not disturb each other`
        /// For a store that ``HTTPCacheStore/isDurable``.
        case `a durable store has everything when it is opened again`
        /// For a store that ``HTTPCacheStore/isDurable``.
        case `durable stores on one place see each other's work`

        /// Checks this clause.
        ///
        /// - Parameter open: Gives a store for so many bytes. Each call within one `verify` must give a durable store on the
        ///   same place, which is empty at the first one.
        /// - Throws: ``ContractViolation``, or the store's error where none is allowed.
        public func verify(_ open: (_ capacity: Int64) async throws -> any HTTPCacheStore) async throws {
            let subject = try await HTTPCacheStoreSubject(open(64 * 1024 * 1024))
            switch self {
            case .`an empty store has nothing`: try await subject.hasNothing()
            case .`a response comes back as it was stored, twice`: try await subject.keepsResponses()
            case .`nothing is seen before the commit`: try await subject.hidesUntilCommit()
            case .`what is discarded or let go of was never there`: try await subject.forgetsWhatIsDiscarded()
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
            case .`updating, using and removing what is gone change nothing`: try await subject.toleratesWhatIsGone()
            case .`what was used longest ago goes first, and at once`: try await subject.trims(open)
            case .`marking and updating count as use`: try await subject.countsUse(open)
            case .`what is larger than a quarter of the store is refused, and what it replaces goes`:
                try await subject.refusesWhatIsTooLarge(open)
            case .`what turns out to be too large drives out a quarter at most`:
                try await subject.survivesEndlessBodies(open)
            case .`what is being stored drives out a half at most`: try await subject.survivesManyWriters(open)
            case .`what is announced as too large drives out nothing`: try await subject.heedsLengths(open)
            case .`an update makes room for itself`: try await subject.makesRoomForUpdates(open)
            case .`partitions never mix`: try await subject.keepsPartitionsApart()
            case .`removing takes what is named and nothing else`: try await subject.removesWhatIsNamed()
            case .`removing a URI takes it from all partitions`: try await subject.removesURIs()
            case .`removing a prefix takes all URIs that begin with it`: try await subject.removesPrefixes()
            case .`removing everything leaves nothing`: try await subject.removesEverything()
            case .`the size is that of what is there`: try await subject.countsBytes()
            case .`writers of one key do not disturb each other`: try await subject.servesManyWriters()
            case .`a durable store has everything when it is opened again`: try await subject.endures(open)
            case .`durable stores on one place see each other's work`: try await subject.sharesItsPlace(open)
            }
        }
    }

#endif
