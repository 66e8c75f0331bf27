#if Caching || HTTP

    public import DuetCaching

    /// The requirements for every store behind a cache of queries, one per clause.
    ///
    /// ```swift
    /// @Test(arguments: CacheStoreContract.allCases)
    /// func `the store keeps its contract`(clause: CacheStoreContract) async throws {
    ///     try await clause.verify(isDurable: false) { InMemoryCacheStore() }
    /// }
    /// ```
    ///
    /// The store needs room for one value of 5 MB and for 100 small values.
    public struct CacheStoreContract: CaseIterable, Sendable, CustomStringConvertible {
        private typealias Check =
            @Sendable (_ subject: CacheStoreSubject, _ open: () async throws -> any CacheStore) async throws -> Void

        /// The requirement.
        public let description: String

        private let isDurable: Bool

        private let check: Check

        private init(
            _ description: String,
            _ check: @escaping @Sendable (CacheStoreSubject) -> () async throws -> Void
        ) {
            self.init(description) { subject, _ in try await check(subject)() }
        }

        private init(_ description: String, isDurable: Bool = false, _ check: @escaping Check) {
            self.description = description
            self.isDurable = isDurable
            self.check = check
        }

        /// All requirements.
        public static let allCases = [
            Self("an empty store has no values") { $0.hasNothing },
            Self("a value comes back unchanged, twice") { subject, _ in try await subject.keepsValues() },
            Self("a key finds only its own value") { $0.keepsKeysApart },
            Self("a missing scope differs from an empty one") { $0.keepsMissingScopesApart },
            Self("keys that contain each other are different") { $0.keepsNestedKeysApart },
            Self("the last value of a key replaces the others") { $0.replacesValues },
            Self("a value may have no bytes") { subject, _ in try await subject.keepsValues(of: [0]) },
            Self("a large value comes back whole") { subject, _ in try await subject.keepsValues(of: [5_000_000]) },
            Self("removing keys leaves other keys") { $0.removesKeys },
            Self("marking a query leaves other queries") { $0.marksQueries },
            Self("marking a tag leaves values without the tag") { $0.marksTags },
            Self("marking some values of a query leaves the others") { $0.marksByCondition },
            Self("marking keys leaves other keys") { $0.marksKeys },
            Self("marking everything marks everything") { $0.marksEverything },
            Self("a mark lasts until another value takes the place") { $0.keepsMarks },
            Self("changing stale values of a query changes nothing else") { $0.updatesStaleValues },
            Self("a stamp changes when another writer marks values, or when everything is removed") {
                $0.changesStamps
            },
            Self("a value that was loaded before another writer marked values is stale") {
                $0.comparesStamps
            },
            Self("a value that was loaded before everything was removed is not stored") {
                $0.refusesRemovedValues
            },
            Self("a noted doubt concerns the values of its query that were stored before, until it ends") {
                $0.notesDoubts
            },
            Self("a noted removal leaves nothing at the next opening", isDurable: true) {
                try await $0.notesRemovals($1)
            },
            Self("removing expired values leaves usable ones") { $0.removesExpiredValues },
            Self("removing everything leaves nothing") { $0.removesEverything },
            Self("concurrent values of one key leave one whole value") { $0.storesOneOfManyValues },
            Self("concurrent changes of other keys are all made") { $0.makesConcurrentChanges },
            Self("a durable store keeps its values when it is opened again", isDurable: true) {
                try await $0.endures($1)
            },
            Self("durable stores at one location share their values", isDurable: true) {
                try await $0.sharesItsLocation($1)
            },
        ]

        /// Checks this clause.
        ///
        /// - Parameters:
        ///   - isDurable: Whether values outlive the store. If so, each call of `open` within one `verify` must open a
        ///     store at the same location, which is empty at first.
        ///   - open: Opens a store.
        /// - Throws: ``ContractViolation``, or an error of the store where the contract allows none.
        public func verify(isDurable: Bool = true, _ open: () async throws -> any CacheStore) async throws {
            guard isDurable || !self.isDurable else { return }
            try await check(CacheStoreSubject(open()), open)
        }
    }

#endif
