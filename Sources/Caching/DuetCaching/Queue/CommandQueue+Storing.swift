import Duet
import DuetContext
public import Foundation
import ServiceContextModule
import Synchronization

// MARK: Reading

extension CommandQueue {
    /// Reads the commands of an earlier launch, once.
    ///
    /// A claim that failed is claimed again later.
    func load() async throws {
        guard state.withLock({ !$0.isLoaded }) else { return }
        do { try await synchronize() } catch  where state.withLock(\.isLoaded) {}
    }

    /// Claims the sending unless another queue has it, and reads the commands if others have changed them.
    func synchronize() async throws {
        var claim: SendingClaim?
        var failure: CommandStoreFailure?
        if maySend, state.withLock({ $0.destination != nil && $0.claim == nil }) {
            do { claim = try await store.claimSending() } catch {
                failure = CommandStoreFailure(operation: .claiming, command: nil, underlying: error)
            }
        }
        let isSentElsewhere = maySend && failure == nil && claim == nil
        // The commands first: a queue that sent before may have removed some that are in the list.
        if try await !isCurrent() { try await read(isClaiming: claim != nil) }
        if state.withLock({ claim != nil || $0.claim == nil && $0.isSentElsewhere != isSentElsewhere }) {
            update { [claim] state in
                guard state.destination != nil, state.claim == nil else { return }
                state.claim = claim
                state.isSentElsewhere = isSentElsewhere
            }
        }
        if let failure { throw failure }
    }

    /// Whether no other queue has changed the commands since they were read.
    private func isCurrent() async throws -> Bool {
        let revision = try await store.revision()
        return state.withLock { $0.revision == revision }
    }

    /// Reads the commands, and does what the changes of others require.
    ///
    /// - Parameters:
    ///   - isClaiming: Whether this queue may send afterward.
    ///   - own: A command that this queue has just stored.
    private func read(isClaiming: Bool = false, adding own: QueueEntry? = nil) async throws {
        // The revision first: a change in between is then found the next time.
        let revision = try await store.revision()
        let commands = try await store.all()
        let (hasClaim, isFirst) = state.withLock { ($0.claim != nil, !$0.isLoaded) }
        let added = await adopt(commands, isFirst: isFirst, hasClaim: hasClaim || isClaiming, own)
        let changes = update { state in
            state.revision = revision
            state.isLoaded = true
            return state.list.merge(commands, adding: added, by: state.destination?.rules ?? [:])
        }
        await end(changes.failed, .failed)
        await end(changes.gone, .gone)
        update { state in
            for entry in changes.gone { state.list.remove([entry.id]) }
            let requested = isFirst ? [] : added.filter { $0.stored.sendRequests > 0 }.map(\.id)
            if hasClaim { state.list.endDelays(of: changes.requested + requested) }
        }
        if changes.hasRestarted { await showAll() }
    }

    /// Shows the changes of commands that are new in the store, and returns their entries.
    private func adopt(
        _ commands: [StoredCommand],
        isFirst: Bool,
        hasClaim: Bool,
        _ own: QueueEntry?
    ) async -> [QueueEntry] {
        let (list, unremoved, rules) = state.withLock { ($0.list, Set($0.unremoved), $0.destination?.rules ?? [:]) }
        var adopted: [QueueEntry] = []
        for stored in commands where !list.contains(stored.id) && !unremoved.contains(stored.id) {
            if let own, own.id == stored.id {
                adopted.append(own)
                continue
            }
            var entry = QueueEntry(
                found: stored,
                isOfEarlierLaunch: isFirst,
                by: rules[stored.name],
                at: now(),
                time()
            )
            // No list shows it as waiting.
            if hasClaim {
                entry.updateExpiry(at: time(), by: rules[stored.name])
                if entry.stored != stored { await note(entry.stored) }
            }
            entry.shown = show(entry)
            adopted.append(entry)
        }
        return adopted
    }

    func end(_ entries: [QueueEntry], _ end: CommandEnd) async {
        await withDiscardingTaskGroup { group in
            for entry in entries { group.addTask { await self.end(entry, end) } }
        }
    }
}

// MARK: Changing

extension CommandQueue {
    /// Stores a command, and begins to send it.
    ///
    /// - Throws: The error of the encoding or of the store, after which the command is not sent.
    func enqueue<C: Command>(_ command: C, by rule: QueueRule) async throws {
        let offered =
            CommandVersion.current?.takeOver { rules in
                (rules as? any ShownCommand).flatMap { $0.command is C ? $0 : nil }
            } ?? []
        do {
            try await insert(command, by: rule, shown: offered)
        } catch {
            for shown in offered { await shown.end(.refused) }
            throw error
        }
    }

    private func insert<C: Command>(_ command: C, by rule: QueueRule, shown: [any ShownCommand]) async throws {
        let encoded = try rule.encode(command)
        let id = makeID()
        let stored = StoredCommand(
            id: id,
            name: C.messageName,
            version: encoded.version,
            key: encoded.key,
            date: now(),
            idempotencyKey: ServiceContext.current?.idempotencyKey(for: C.messageName) ?? id.uuidString,
            principal: Principal.current,
            isServed: Caller.current.isServed,
            bytes: encoded.bytes
        )
        try await access.exclusively {
            // Commands of an earlier launch come first.
            try await load()
            try await change { try await store.insert(stored) }
            var entry = QueueEntry(stored, command, rule.options, at: time())
            // A cache that another program's layer hides.
            for follower in shown.compactMap(\.follower) { follow(follower) }
            entry.shown = shown
            entry.shown += show(entry)
            await addToList(entry)
        }
    }

    /// Adds a command to the list that was added to the store, after those that other queues have added before.
    private func addToList(_ entry: QueueEntry) async {
        do {
            let isCurrent = try await isCurrent()
            // The queue that sends knows the earlier commands of a key first. Any other may find that it has failed.
            if !isCurrent, state.withLock({ $0.claim != nil }) {
                try await read(adding: entry)
                if !state.withLock({ $0.list.contains(entry.id) }) { await end(entry, .gone) }
                return
            }
            update { $0.list.add(entry) }
            if !isCurrent { try await read() }
        } catch {
            onStoreError(CommandStoreFailure(operation: .reading, command: nil, underlying: error))
            update { state in
                state.revision = nil
                if !state.list.contains(entry.id) { state.list.add(entry) }
            }
        }
    }

    /// Changes the store with one call, and counts the change as one of this queue.
    private func change(_ body: () async throws -> Void) async throws {
        try await body()
        state.withLock { state in state.revision = state.revision.map { $0 + 1 } }
    }

    /// Uses the store, also in a canceled task.
    private func anyway(_ body: @escaping @Sendable () async throws -> Void) async throws {
        try await Task { try await access.exclusively(body) }.value
    }

    func restart(where isIncluded: @escaping @Sendable (UUID) -> Bool) async throws {
        try await access.exclusively {
            let (failed, rules) = state.withLock { state in
                (state.list.failed.filter { isIncluded($0.id) }, state.destination?.rules)
            }
            guard let rules else { return }
            for var entry in failed {
                entry.restart(by: rules[entry.stored.name])
                if entry.failure == nil {
                    let stored = entry.stored
                    try await change { try await storeProgress(of: stored) }
                    entry.shown = show(entry)
                }
                update { [entry] in $0.list.change(entry.id) { $0 = entry } }
            }
        }
    }

    /// Asks the queue that sends to do so now, unless it is this one.
    ///
    /// - Parameter id: The command that is meant; nil for all.
    func requestSending(of id: UUID? = nil) async throws {
        try await access.exclusively {
            let meant = state.withLock { state in
                state.claim == nil ? state.list.waiting.filter { id == nil || $0 == id } : []
            }
            guard !meant.isEmpty else { return }
            try await change { try await store.requestSending(of: meant) }
        }
    }

    /// Removes a command.
    ///
    /// The attempt of a command that is being sent is canceled, but the command may have been carried out already.
    /// Nothing happens for an unknown identifier. If another queue sends, it may still send the command until it finds
    /// that the command is gone.
    ///
    /// - Throws: The error of the store. Nothing has then changed.
    public func drop(_ id: UUID) async throws {
        let dropped = try await access.exclusively {
            try await change { try await store.remove([id]) }
            return update { $0.list.remove([id]) }
        }
        await end(dropped, .failed)
    }

    /// Removes all commands, as at sign-out.
    ///
    /// Attempts are canceled, but their commands may have been carried out already.
    ///
    /// - Throws: The error of the store. Nothing has then changed.
    public func removeAll() async throws {
        let dropped = try await access.exclusively {
            try await store.removeAll()
            return update { state in
                state.revision = nil
                return state.list.remove(state.list.order)
            }
        }
        await end(dropped, .failed)
    }

    func noteEnd(of id: UUID, failure: String? = nil) async {
        state.withLock { $0.list.change(id) { $0.stored.noteEndOfAttempt() } }
        await noteProgress(of: id, failure: failure)
    }

    /// Notes the attempts and the failure of a command that is in the list.
    func noteProgress(of id: UUID, failure: String? = nil) async {
        try? await anyway { [self] in
            guard var stored = state.withLock({ $0.list.entries[id]?.stored }) else { return }
            stored.failure = failure
            guard await note(stored) else { return }
            state.withLock { $0.list.change(id) { $0.stored.failure = failure } }
        }
    }

    /// Notes the attempts and the failure of a command, in a task that uses the store, and returns whether it could.
    @discardableResult
    private func note(_ stored: StoredCommand) async -> Bool {
        do {
            try await change { try await storeProgress(of: stored) }
            return true
        } catch {
            onStoreError(CommandStoreFailure(operation: .updating, command: stored.name, underlying: error))
            return false
        }
    }

    private func storeProgress(of stored: StoredCommand) async throws {
        try await store.update(
            stored.id,
            attempts: stored.attempts,
            failure: stored.failure,
            isRetried: stored.isRetried
        )
    }

    /// Removes a command that was sent, and earlier ones that could not be removed.
    func removeSent(_ command: StoredCommand) async {
        let ids = state.withLock { $0.unremoved } + [command.id]
        do {
            try await anyway { [self] in try await change { try await store.remove(ids) } }
            state.withLock { $0.unremoved.removeAll { ids.contains($0) } }
        } catch {
            state.withLock { if !$0.unremoved.contains(command.id) { $0.unremoved.append(command.id) } }
            onStoreError(CommandStoreFailure(operation: .removing, command: command.name, underlying: error))
        }
    }
}
