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

    /// Begins to send the commands of an earlier launch, unless that has begun.
    func start(through base: any Dispatcher) {
        update { state in
            guard state.sender != nil, state.loading == nil else { return }
            state.loading = Task.detached { [self] in
                var failures = 0
                while !Task.isCancelled {
                    do {
                        try await access.exclusively { try await load(for: base) }
                        return
                    } catch {
                        guard !Task.isCancelled else { return }
                        failures += 1
                        onStoreError(CommandStoreFailure(operation: .reading, command: nil, underlying: error))
                        try? await clock.sleep(for: delays.delay(afterAttempt: failures, random: random()))
                    }
                }
            }
        }
    }

    /// Ends the sending.
    ///
    /// The commands stay in the store and in the list.
    fileprivate func stop() {
        let tasks = update { state in
            var tasks = [state.loading.take()].compactMap(\.self)
            state.sender = nil
            state.endPause()
            state.noteResponse()
            for number in state.entries.keys {
                state.order.remove(number)
                state.entries[number]?.run = nil
                state.entries[number]?.base = nil
                state.entries[number]?.command.state.stop()
                if let task = state.entries[number]?.task.take() { tasks.append(task) }
            }
            return tasks
        }
        for task in tasks { task.cancel() }
    }
}

extension QueuedCommand.State {
    /// Ends an attempt or a delay.
    fileprivate mutating func stop() {
        switch self {
        case .sending: self = .waiting(until: nil, reason: nil)
        case .waiting(_, let reason): self = .waiting(until: nil, reason: reason)
        case .failed: break
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
            bytes: try QueryCoding.encode(command)
        )
        var number = 0
        try await access.exclusively {
            // Commands of an earlier launch come first.
            try await load(for: base)
            try await store.insert(stored)
            number = update { state in
                state.add(stored, rule.run(command), base, for: self)
                return state.lastNumber
            }
        }
        // The caller finds the rules carried out that precede the dispatch.
        await waitForStart(of: number)
    }

    /// Reads the commands of an earlier launch, once.
    private func load(for base: any Dispatcher) async throws {
        guard state.withLock({ !$0.isLoaded }) else { return }
        let commands = try await store.all()
        update { state in
            guard !state.isLoaded, let sender = state.sender else { return }
            state.isLoaded = true
            for stored in commands where !state.isSent(stored.id) {
                do {
                    state.add(stored, try sender.run(of: stored), base, for: self)
                } catch {
                    state.add(stored, nil, base, for: self)
                    let reason = stored.failure ?? "\(error)"
                    state.entries[state.lastNumber]?.command.state = .failed(reason: reason)
                }
            }
        }
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
        try await store.update(entry.command.id, attempts: entry.command.attempts, failure: nil)
        update { state in
            state.entries[entry.number]?.run = run
            state.entries[entry.number]?.failures = 0
            state.entries[entry.number]?.command.state = .waiting(until: nil, reason: nil)
            state.start(entry.number, for: self)
        }
    }

    /// Notes an attempt.
    func store(_ command: QueuedCommand, failure: String?) async {
        do {
            try await store.update(command.id, attempts: command.attempts, failure: failure)
        } catch {
            onStoreError(CommandStoreFailure(operation: .updating, command: command.name, underlying: error))
        }
    }

    /// Removes a command that was sent, and earlier ones that could not be removed.
    func removeSent(_ command: QueuedCommand) async {
        let ids = state.withLock { $0.unremoved } + [command.id]
        do {
            try await store.remove(ids)
            state.withLock { $0.unremoved.removeAll { ids.contains($0) } }
        } catch {
            state.withLock { if !$0.unremoved.contains(command.id) { $0.unremoved.append(command.id) } }
            onStoreError(CommandStoreFailure(operation: .removing, command: command.name, underlying: error))
        }
    }
}

extension CommandQueue.Sender {
    /// - Throws: ``UnreadableCommand``.
    func run(of stored: StoredCommand) throws -> CommandQueue.Run {
        guard let rule = rules[stored.name] else {
            throw UnreadableCommand(reason: "this program has no Enqueue rule for \(stored.name)")
        }
        return try rule.run(stored)
    }
}

/// The error of a stored command that this program cannot decode.
struct UnreadableCommand: Error, CustomStringConvertible {
    let reason: String

    var description: String {
        "The command cannot be read: \(reason). Retry it with a program that can read it, or drop it."
    }
}

extension CommandQueue.State {
    /// Whether a command that is still in the store was sent.
    fileprivate func isSent(_ id: UUID) -> Bool {
        unremoved.contains(id) || sent.values.contains { $0.id == id }
    }

    fileprivate mutating func add(
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
            run: run,
            base: base
        )
        if run != nil, !command.isFailed { start(lastNumber, for: queue) }
    }

    /// Begins the task that sends a command.
    fileprivate mutating func start(_ number: Int, for queue: CommandQueue) {
        guard let sender, let entry = entries[number], let run = entry.run, let base = entry.base else { return }
        order.add(number, key: entry.stored.key)
        let next = SendingDispatcher(queue: queue, number: number, base: base, key: entry.stored.idempotencyKey)
        starting.insert(number)
        // Detached, because the command must not inherit the deadline of its dispatch.
        entries[number]?.task = Task.detached {
            await withPrincipal(entry.stored.principal) { await queue.run(number, run, next, sender.cache) }
        }
    }
}
