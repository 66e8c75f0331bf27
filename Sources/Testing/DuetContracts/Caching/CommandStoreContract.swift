#if Caching || HTTP

    public import DuetCaching

    /// The requirements for every store behind a queue of commands, one per case.
    ///
    /// ```swift
    /// @Test(arguments: CommandStoreContract.allCases)
    /// func `the store keeps its contract`(clause: CommandStoreContract) async throws {
    ///     try await clause.verify(isDurable: false) { InMemoryCommandStore(limit: $0) }
    /// }
    /// ```
    public enum CommandStoreContract: CaseIterable, Sendable {
        /// An empty store throws no errors.
        case `an empty store has no commands`
        /// Dates keep all their bits. Reading changes nothing.
        case `a command comes back unchanged, twice`
        /// Texts keep all their characters. Commands and texts may be empty.
        case `texts and bytes come back unchanged`
        /// The command has 5 MB.
        case `a large command comes back whole`
        /// The order does not depend on dates or identifiers.
        case `commands come back in the order in which they were added`
        /// The place in the order stays.
        case `an update changes the attempts and the failure of one command`
        /// A store does not create a command that was removed meanwhile.
        case `updating and removing unknown commands changes nothing`
        /// Later commands are added after the others.
        case `removing commands leaves the others in order`
        /// The store can be used afterward.
        case `removing everything leaves nothing`
        /// Removed commands make room.
        case `a store with a limit of commands refuses one more, and keeps the others`
        /// Removed commands make room.
        case `a store with a limit of bytes refuses a command that exceeds it, and keeps the others`
        /// Unknown commands are ignored.
        case `a request to send is counted for the commands that are meant`
        /// Calls that find nothing to change count, too. Reading changes nothing.
        case `each change increases the revision by one`
        /// It is free again when the claim ends.
        case `one claim to send exists at a time`
        /// This applies to the changes of each object of a durable store, and to the end of a claim.
        case `a reader is notified of changes`
        /// Each is stored once.
        case `concurrent commands are all stored`
        /// This applies to durable stores.
        case `a durable store keeps its commands and their order when it is opened again`

        /// Checks this clause.
        ///
        /// - Parameters:
        ///   - isDurable: Whether commands outlive the store. If so, each call of `open` within one `verify` must open
        ///     a store at the same location, which is empty at first.
        ///   - open: Opens a store with limits.
        /// - Throws: ``ContractViolation``, or an error of the store where the contract allows none.
        public func verify(
            isDurable: Bool = true,
            _ open: (CommandStoreLimit) async throws -> any CommandStore
        ) async throws {
            let subject = CommandStoreSubject(try await open(limit))
            switch self {
            case .`an empty store has no commands`: try await subject.hasNothing()
            case .`a command comes back unchanged, twice`: try await subject.keepsCommands()
            case .`texts and bytes come back unchanged`: try await subject.keepsTexts()
            case .`a large command comes back whole`: try await subject.keepsLargeCommands()
            case .`commands come back in the order in which they were added`: try await subject.keepsTheOrder()
            case .`an update changes the attempts and the failure of one command`: try await subject.updates()
            case .`updating and removing unknown commands changes nothing`: try await subject.ignoresUnknownCommands()
            case .`removing commands leaves the others in order`: try await subject.removes()
            case .`removing everything leaves nothing`: try await subject.removesEverything()
            case .`a store with a limit of commands refuses one more, and keeps the others`,
                .`a store with a limit of bytes refuses a command that exceeds it, and keeps the others`:
                try await subject.refusesOneMore()
            case .`a request to send is counted for the commands that are meant`: try await subject.countsRequests()
            case .`each change increases the revision by one`:
                try await subject.countsChanges(isDurable ? CommandStoreSubject(try await open(limit)) : subject)
            case .`one claim to send exists at a time`:
                try await subject.claims(isDurable ? CommandStoreSubject(try await open(limit)) : subject)
            case .`a reader is notified of changes`:
                try await subject.notifies(isDurable ? CommandStoreSubject(try await open(limit)) : subject)
            case .`concurrent commands are all stored`: try await subject.storesConcurrentCommands()
            case .`a durable store keeps its commands and their order when it is opened again`:
                if isDurable { try await subject.endures { try await open(limit) } }
            }
        }

        /// Three of the sample commands fit exactly in the limits of the two clauses about limits.
        private var limit: CommandStoreLimit {
            switch self {
            case .`a store with a limit of commands refuses one more, and keeps the others`:
                CommandStoreLimit(commands: 3)
            case .`a store with a limit of bytes refuses a command that exceeds it, and keeps the others`:
                CommandStoreLimit(bytes: 3 * CommandStoreSubject.command(1).size)
            default: CommandStoreLimit()
            }
        }
    }

#endif
