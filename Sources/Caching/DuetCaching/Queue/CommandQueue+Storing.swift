import Duet
import DuetContext
import Foundation
import ServiceContextModule
import Synchronization

// MARK: The dispatcher

extension CommandQueue {
    /// Whether the dispatcher of a cache uses the queue.
    var isInUse: Bool { state.withLock { $0.sender != nil } }

    /// Whether the dispatcher of a cache uses the queue through this reference.
    func isUsed(by cache: QueryCache) -> Bool { state.withLock { $0.sender?.cache === cache } }

    /// Connects the queue with a cache.
    ///
    /// - Parameter cache: A reference to the parts of the cache, for the rules of commands.
    /// - Returns: The object whose end stops the sending.
    func attach(_ cache: QueryCache, _ rules: [CacheRule.AnyEnqueue]) -> CommandQueueUse {
        let rules = Dictionary(rules.map { ($0.name, $0) }) { first, _ in first }
        update { state in
            state.sender = Sender(cache: cache, rules: rules)
            state.entries = [:]
            state.isLoaded = false
        }
        return CommandQueueUse(queue: self)
    }

    /// Begins to send the commands of an earlier launch, and to follow other queues, unless that has begun.
    func start(through base: any Dispatcher) {
        update { state in
            guard state.sender != nil, state.loading == nil else { return }
            state.sender?.base = base
            let loading = Task.detached { [self] in
                await untilItSucceeds { try await access.exclusively { try await load() } }
            }
            state.loading = loading
            state.following = Task.detached { [self] in
                var changes = store.changes.makeAsyncIterator()
                await loading.value
                repeat {
                    await untilItSucceeds { try await access.exclusively { try await synchronize() } }
                } while await changes.next() != nil && !Task.isCancelled
            }
        }
    }

    /// Uses the store, and tries again after a delay when that fails.
    private func untilItSucceeds(_ body: () async throws -> Void) async {
        var failures = 0
        while !Task.isCancelled {
            do {
                return try await body()
            } catch {
                guard !Task.isCancelled else { return }
                failures += 1
                onStoreError(
                    error as? CommandStoreFailure
                        ?? CommandStoreFailure(operation: .reading, command: nil, underlying: error)
                )
                try? await clock.sleep(for: delays.delay(afterAttempt: failures, random: random()))
            }
        }
    }

    /// Ends the sending, so that another queue of the store takes over.
    ///
    /// The commands stay in the store and in the list.
    fileprivate func stop() {
        let (tasks, attempts, claim) = update { state in
            var tasks = [state.loading.take(), state.following.take()].compactMap(\.self)
            var attempts: [Task<Void, Never>] = []
            state.sender = nil
            state.isSentElsewhere = false
            state.endPause()
            state.noteResponse()
            for (number, entry) in state.entries {
                state.order.remove(number)
                state.entries[number]?.run = nil
                state.entries[number]?.base = nil
                state.entries[number]?.command.state.stop(after: entry.command.error)
                guard let task = state.entries[number]?.task.take() else { continue }
                if entry.command.state == .sending { attempts.append(task) } else { tasks.append(task) }
            }
            return (tasks, attempts, state.claim.take())
        }
        for task in tasks + attempts { task.cancel() }
        guard !attempts.isEmpty else { return }
        // Nobody else sends while an attempt may still reach the server.
        Task.detached {
            for attempt in attempts { await attempt.value }
            withExtendedLifetime(claim) {}
        }
    }
}

extension QueuedCommand.State {
    /// Ends an attempt or a delay.
    fileprivate mutating func stop(after error: (any Error)?) {
        switch self {
        case .sending: self = .waiting(until: nil, reason: error.map { "\($0)" })
        case .waiting(_, let reason): self = .waiting(until: nil, reason: reason)
        default: break
        }
    }
}

/// The use of a queue by a cache, which ends with this object.
final class CommandQueueUse: Sendable {
    let queue: CommandQueue

    init(queue: CommandQueue) {
        self.queue = queue
    }

    deinit { queue.stop() }
}

// MARK: The store

extension CommandQueue {
    /// Stores a command, and begins to send it.
    ///
    /// - Throws: The error of the encoding or of the store, after which the command is not sent.
    func enqueue<C>(_ command: C, by rule: Enqueue<C>, through base: any Dispatcher) async throws {
        start(through: base)
        let id = makeID()
        let stored = StoredCommand(
            id: id,
            name: C.messageName,
            version: rule.version,
            key: try rule.key(command),
            date: now(),
            idempotencyKey: ServiceContext.current?.idempotencyKey(for: C.messageName) ?? id.uuidString,
            principal: Principal.current,
            isServed: Caller.current.isServed,
            bytes: try QueryCoding.encode(command)
        )
        let number = try await access.exclusively {
            // Commands of an earlier launch come first.
            try await load()
            try await change { try await store.insert(stored) }
            return await list(stored, run: rule.run(command), through: base)
        }
        // The caller finds the rules carried out that precede the dispatch.
        if let number { await waitForStart(of: number) }
    }

    /// Adds a command to the list that was added to the store, after those that other queues have added before.
    private func list(_ stored: StoredCommand, run: @escaping Run, through base: any Dispatcher) async -> Int? {
        do {
            if try await !isCurrent() {
                try await read()
                return state.withLock { $0.entries.values.first { $0.stored.id == stored.id }?.number }
            }
        } catch {
            state.withLock { $0.revision = nil }
            onStoreError(CommandStoreFailure(operation: .reading, command: nil, underlying: error))
        }
        return update { state in
            state.add(stored, run, base, for: self)
            return state.lastNumber
        }
    }

    /// Changes the store with one call, and counts the change as one of this queue.
    private func change(_ body: () async throws -> Void) async throws {
        try await body()
        state.withLock { state in state.revision = state.revision.map { $0 + 1 } }
    }

    /// Changes the store, also in a canceled task.
    private func changeAnyway(_ body: @escaping @Sendable () async throws -> Void) async throws {
        try await Task { try await access.exclusively { try await change(body) } }.value
    }

    /// Sends failed commands again.
    func restart(where isMeant: @escaping @Sendable (QueuedCommand) -> Bool) async throws {
        try await access.exclusively {
            let failed = state.withLock { $0.entries.values.filter { $0.command.isFailed && isMeant($0.command) } }
            for entry in failed.sorted(by: { $0.number < $1.number }) { try await restart(entry) }
        }
    }

    private func restart(_ entry: Entry) async throws {
        guard let sender = state.withLock({ $0.sender }) else { return }
        let run: Run
        do {
            run = try entry.run ?? sender.run(of: entry.stored)
        } catch {
            update { $0.entries[entry.number]?.command.state = .failed(reason: "\(error)") }
            return
        }
        let attempts = entry.command.attempts
        try await change {
            try await store.update(entry.stored.id, attempts: attempts, failure: nil, isRetried: true)
        }
        update { state in
            state.entries[entry.number]?.stored.failure = nil
            state.entries[entry.number]?.stored.isRetried = true
            state.restart(entry.number, run, for: self)
        }
    }

    /// Asks the queue that sends to do so now, unless it is this one.
    ///
    /// - Parameter id: The command that is meant; nil for all.
    func requestSending(of id: UUID? = nil) async throws {
        try await access.exclusively {
            let meant: [Entry] = state.withLock { state in
                guard state.claim == nil else { return [] }
                return state.entries.values.filter { $0.command.isWaiting && (id == nil || $0.stored.id == id) }
            }
            guard !meant.isEmpty else { return }
            try await change { try await store.requestSending(of: meant.map(\.stored.id)) }
        }
    }

    func remove(_ id: UUID) async throws {
        try await access.exclusively {
            try await change { try await store.remove([id]) }
            remove { $0.stored.id == id }
        }
    }

    /// Removes all commands, as at sign-out.
    ///
    /// The attempts of commands that are being sent are canceled, but these may have been carried out already.
    ///
    /// - Throws: The error of the store. Nothing has then changed.
    public func removeAll() async throws {
        try await access.exclusively {
            try await store.removeAll()
            state.withLock { $0.revision = nil }
            remove { _ in true }
        }
    }

    func note(_ number: Int, failure: String?) async {
        guard let entry = state.withLock({ $0.entries[number] }) else { return }
        let command = entry.command
        do {
            try await changeAnyway { [self] in
                try await store.update(
                    command.id,
                    attempts: command.attempts,
                    failure: failure,
                    isRetried: entry.stored.isRetried
                )
                state.withLock { $0.entries[number]?.stored.failure = failure }
            }
        } catch {
            onStoreError(CommandStoreFailure(operation: .updating, command: command.name, underlying: error))
        }
    }

    /// Notes that a command has expired, in a task that uses the store.
    func note(expired stored: StoredCommand) async {
        do {
            try await change {
                try await store.update(stored.id, attempts: stored.attempts, failure: stored.failure, isRetried: false)
            }
        } catch {
            onStoreError(CommandStoreFailure(operation: .updating, command: stored.name, underlying: error))
        }
    }

    /// Removes a command that was sent, and earlier ones that could not be removed.
    func removeSent(_ command: QueuedCommand) async {
        let ids = state.withLock { $0.unremoved } + [command.id]
        do {
            try await changeAnyway { [store] in try await store.remove(ids) }
            state.withLock { $0.unremoved.removeAll { ids.contains($0) } }
        } catch {
            state.withLock { if !$0.unremoved.contains(command.id) { $0.unremoved.append(command.id) } }
            onStoreError(CommandStoreFailure(operation: .removing, command: command.name, underlying: error))
        }
    }
}

extension CommandQueue.State {
    /// Whether a command that is still in the store was sent.
    func isSent(_ id: UUID) -> Bool {
        unremoved.contains(id) || sent.values.contains { $0.id == id }
    }

    mutating func add(
        _ stored: StoredCommand,
        _ run: CommandQueue.Run?,
        _ base: any Dispatcher,
        for queue: CommandQueue
    ) {
        lastNumber += 1
        let command = QueuedCommand(stored)
        entries[lastNumber] = CommandQueue.Entry(
            number: lastNumber,
            stored: stored,
            command: command,
            lifetime: sender?.rules[stored.name]?.options.lifetime,
            run: run,
            base: base
        )
        if run == nil || command.isFailed {
            order.fail(lastNumber, key: stored.key)
        } else {
            start(lastNumber, for: queue)
        }
    }

    /// Sends a failed command again, whatever its age.
    mutating func restart(_ number: Int, _ run: @escaping CommandQueue.Run, for queue: CommandQueue) {
        entries[number]?.run = run
        entries[number]?.failures = 0
        entries[number]?.command.error = nil
        entries[number]?.command.state = .waiting(until: nil, reason: nil)
        start(number, for: queue)
    }

    /// - Parameter error: The error in this queue; nil if the command has failed in another one.
    mutating func fail(_ number: Int, reason: String, error: (any Error)? = nil) {
        guard let key = entries[number]?.stored.key else { return }
        order.fail(number, key: key)
        entries[number]?.command.error = error
        entries[number]?.command.state = .failed(reason: reason)
        entries[number]?.task = nil
    }

    /// Begins the task that sends a command.
    private mutating func start(_ number: Int, for queue: CommandQueue) {
        guard let sender, let entry = entries[number], let run = entry.run, let base = entry.base else { return }
        let waitsForFailed = sender.rules[entry.stored.name]?.options.waitsForFailed ?? false
        order.add(number, key: entry.stored.key, waitsForFailed: waitsForFailed)
        let next = SendingDispatcher(queue: queue, number: number, base: base, key: entry.stored.idempotencyKey)
        starting.insert(number)
        // Detached, because the command must not inherit the deadline of its dispatch.
        entries[number]?.task = Task.detached {
            await Caller(principal: entry.stored.principal, isServed: entry.stored.isServed).run {
                await queue.run(number, run, next, sender.cache)
            }
        }
    }
}
