#if Caching || HTTP

    public import DuetCaching

    /// The requirements for every store behind a queue of commands, one per clause.
    ///
    /// ```swift
    /// @Test(arguments: CommandStoreContract.allCases)
    /// func `the store keeps its contract`(clause: CommandStoreContract) async throws {
    ///     try await clause.verify(isDurable: false) { InMemoryCommandStore(limit: $0) }
    /// }
    /// ```
    public struct CommandStoreContract: CaseIterable, Sendable, CustomStringConvertible {
        private typealias Check =
            @Sendable (_ subject: CommandStoreSubject, _ another: () async throws -> any CommandStore) async throws ->
            Void

        /// The requirement.
        public let description: String

        private let limit: CommandStoreLimit
        private let isDurable: Bool
        private let check: Check

        private init(
            _ description: String,
            limit: CommandStoreLimit = CommandStoreLimit(),
            _ check: @escaping @Sendable (CommandStoreSubject) -> () async throws -> Void
        ) {
            self.init(description, limit: limit) { subject, _ in try await check(subject)() }
        }

        private init(
            _ description: String,
            limit: CommandStoreLimit = CommandStoreLimit(),
            isDurable: Bool = false,
            _ check: @escaping Check
        ) {
            self.description = description
            self.limit = limit
            self.isDurable = isDurable
            self.check = check
        }

        /// All requirements.
        ///
        /// Three of the sample commands fit exactly in the limits of the two clauses about limits.
        public static let allCases = [
            Self("an empty store has no commands") { $0.hasNothing },
            Self("a command comes back unchanged, twice") { $0.keepsCommands },
            Self("texts and bytes come back unchanged") { $0.keepsTexts },
            Self("a large command comes back whole") { $0.keepsLargeCommands },
            Self("commands come back in the order in which they were added") { $0.keepsTheOrder },
            Self("an update changes the attempts and the failure of one command") { $0.updates },
            Self("updating and removing unknown commands changes nothing") { $0.ignoresUnknownCommands },
            Self("removing commands leaves the others in order") { $0.removes },
            Self("removing everything leaves nothing") { $0.removesEverything },
            Self(
                "a store with a limit of commands refuses one more, and keeps the others",
                limit: CommandStoreLimit(commands: 3)
            ) {
                $0.refusesOneMore
            },
            Self(
                "a store with a limit of bytes refuses a command that exceeds it, and keeps the others",
                limit: CommandStoreLimit(bytes: 3 * CommandStoreSubject.command(1).size)
            ) {
                $0.refusesOneMore
            },
            Self("a request to send is counted for the commands that are meant") { $0.countsRequests },
            Self("each change increases the revision by one") { try await $0.countsChanges(CommandStoreSubject($1())) },
            Self("one claim to send exists at a time") { try await $0.claims(CommandStoreSubject($1())) },
            Self("a reader is notified of changes") { try await $0.notifies(CommandStoreSubject($1())) },
            Self("concurrent commands are all stored") { $0.storesConcurrentCommands },
            Self("a durable store keeps its commands and their order when it is opened again", isDurable: true) {
                try await $0.endures($1)
            },
        ]

        /// Checks this clause.
        ///
        /// - Parameters:
        ///   - isDurable: As of ``CacheStoreContract/verify(isDurable:_:)``.
        ///   - open: Opens a store with limits.
        /// - Throws: ``ContractViolation``, or an error of the store where the contract allows none.
        public func verify(
            isDurable: Bool = true,
            _ open: (CommandStoreLimit) async throws -> any CommandStore
        ) async throws {
            guard isDurable || !self.isDurable else { return }
            let store = try await open(limit)
            try await check(CommandStoreSubject(store)) { isDurable ? try await open(limit) : store }
        }
    }

#endif
