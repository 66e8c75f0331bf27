#if Caching || HTTP

    public import DuetCaching

    /// The requirements for every store behind a cache of queries, one per case.
    ///
    /// ```swift
    /// @Test(arguments: CacheStoreContract.allCases)
    /// func `the store keeps its contract`(clause: CacheStoreContract) async throws {
    ///     try await clause.verify(isDurable: false) { InMemoryCacheStore() }
    /// }
    /// ```
    ///
    /// The store needs room for one value of 5 MB and for 100 small values.
    public enum CacheStoreContract: CaseIterable, Sendable {
        /// An empty store finds nothing and throws no errors.
        case `an empty store has no values`
        /// Reading does not change the store. Dates and tags keep all their bits and their order.
        case `a value comes back unchanged, twice`
        /// The version, the scope, and the query all identify a value.
        case `a key finds only its own value`
        /// The empty scope is a scope.
        case `a missing scope differs from an empty one`
        /// No separator or length is mistaken for another.
        case `keys that contain each other are different`
        /// The tags of the first value are removed, too.
        case `the last value of a key replaces the others`
        /// An empty value is a value, too.
        case `a value may have no bytes`
        /// The value has 5 MB.
        case `a large value comes back whole`
        /// Removing a key that does not exist changes nothing.
        case `removing keys leaves other keys`
        /// All versions and scopes are marked.
        case `marking a query leaves other queries`
        /// Tags are compared as a whole.
        case `marking a tag leaves values without the tag`
        /// The condition receives the key of each value of the query, of all versions and scopes, once.
        case `marking some values of a query leaves the others`
        /// Keys without a value are ignored.
        case `marking keys leaves other keys`
        /// All values are marked.
        case `marking everything marks everything`
        /// Marking it again changes nothing. A new value of the key is not stale.
        case `a mark lasts until another value takes the place`
        /// Fresh values and other queries stay, and so do the mark, the dates and the tags of a changed value.
        case `changing stale values of a query changes nothing else`
        /// It does not change with the writer's own marks.
        case `a stamp changes when another writer marks values, or when everything is removed`
        /// Such a value is stored as stale, or not at all.
        case `a value that was loaded before another writer marked values is stale`
        /// Another value of the key stays.
        case `a value that was loaded before everything was removed is not stored`
        /// The note counts as a mark. A store may keep no notes.
        case `a noted doubt concerns the values of its query that were stored before, until it ends`
        /// The store can be used afterward. A store may keep no notes.
        case `a noted removal leaves nothing at the next opening`
        /// A value expires exactly at its date. A value without a date never expires.
        case `removing expired values leaves usable ones`
        /// The store can be used afterward.
        case `removing everything leaves nothing`
        /// Readers find one of the values meanwhile, too.
        case `concurrent values of one key leave one whole value`
        /// Concurrent removals and insertions of other keys do not disturb each other.
        case `concurrent changes of other keys are all made`
        /// This applies to durable stores.
        case `a durable store keeps its values when it is opened again`
        /// This applies to durable stores.
        case `durable stores at one location share their values`

        /// Checks this clause.
        ///
        /// - Parameters:
        ///   - isDurable: Whether values outlive the store. If so, each call of `open` within one `verify` must open a
        ///     store at the same location, which is empty at first.
        ///   - open: Opens a store.
        /// - Throws: ``ContractViolation``, or an error of the store where the contract allows none.
        public func verify(isDurable: Bool = true, _ open: () async throws -> any CacheStore) async throws {
            let subject = try await CacheStoreSubject(open())
            switch self {
            case .`an empty store has no values`: try await subject.hasNothing()
            case .`a value comes back unchanged, twice`: try await subject.keepsValues()
            case .`a key finds only its own value`: try await subject.keepsKeysApart()
            case .`a missing scope differs from an empty one`: try await subject.keepsMissingScopesApart()
            case .`keys that contain each other are different`: try await subject.keepsNestedKeysApart()
            case .`the last value of a key replaces the others`: try await subject.replacesValues()
            case .`a value may have no bytes`: try await subject.keepsValues(of: [0])
            case .`a large value comes back whole`: try await subject.keepsValues(of: [5_000_000])
            case .`removing keys leaves other keys`: try await subject.removesKeys()
            case .`marking a query leaves other queries`: try await subject.marksQueries()
            case .`marking a tag leaves values without the tag`: try await subject.marksTags()
            case .`marking some values of a query leaves the others`: try await subject.marksByCondition()
            case .`marking keys leaves other keys`: try await subject.marksKeys()
            case .`marking everything marks everything`: try await subject.marksEverything()
            case .`a mark lasts until another value takes the place`: try await subject.keepsMarks()
            case .`changing stale values of a query changes nothing else`: try await subject.updatesStaleValues()
            case .`a stamp changes when another writer marks values, or when everything is removed`:
                try await subject.changesStamps()
            case .`a value that was loaded before another writer marked values is stale`:
                try await subject.comparesStamps()
            case .`a value that was loaded before everything was removed is not stored`:
                try await subject.refusesRemovedValues()
            case .`a noted doubt concerns the values of its query that were stored before, until it ends`:
                try await subject.notesDoubts()
            case .`a noted removal leaves nothing at the next opening`:
                if isDurable { try await subject.notesRemovals(open) }
            case .`removing expired values leaves usable ones`: try await subject.removesExpiredValues()
            case .`removing everything leaves nothing`: try await subject.removesEverything()
            case .`concurrent values of one key leave one whole value`: try await subject.storesOneOfManyValues()
            case .`concurrent changes of other keys are all made`: try await subject.makesConcurrentChanges()
            case .`a durable store keeps its values when it is opened again`:
                if isDurable { try await subject.endures(open) }
            case .`durable stores at one location share their values`:
                if isDurable { try await subject.sharesItsLocation(open) }
            }
        }
    }

#endif
