import Duet
import Foundation
import Synchronization

/// One of the queues of a store sends the commands. Each reads the list again when another one has changed it.
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
        if isSender, state.withLock({ $0.sender != nil && $0.claim == nil }) {
            do { claim = try await store.claimSending() } catch {
                failure = CommandStoreFailure(operation: .claiming, command: nil, underlying: error)
            }
        }
        let isSentElsewhere = isSender && failure == nil && claim == nil
        let take: @Sendable (inout State) -> Void = { [claim] state in
            guard state.sender != nil, state.claim == nil else { return }
            state.claim = claim
            state.isSentElsewhere = isSentElsewhere
        }
        if try await !isCurrent() {
            // The commands first: a queue that sent before may have removed some that are in the list.
            try await read(isClaiming: claim != nil, then: take)
        } else if state.withLock({ claim != nil || $0.claim == nil && $0.isSentElsewhere != isSentElsewhere }) {
            update(take)
        }
        if let failure { throw failure }
    }

    /// Whether no other queue has changed the commands since they were read.
    func isCurrent() async throws -> Bool {
        let revision = try await store.revision()
        return state.withLock { $0.isLoaded && $0.revision == revision }
    }

    /// Reads the commands, and does what the changes of others require.
    ///
    /// - Parameter isClaiming: Whether this queue may send after the change. Then new commands that have expired fail,
    ///   so that no list shows them as waiting.
    func read(isClaiming: Bool = false, then change: @Sendable (inout State) -> Void = { _ in }) async throws {
        // The revision first: a change in between is then found the next time.
        let revision = try await store.revision()
        let commands = try await store.all()
        let merge = update { state in
            state.revision = revision
            defer { change(&state) }
            return state.merge(commands, for: self, expiringAt: isClaiming || state.claim != nil ? now() : nil)
        }
        for stored in merge.expired { await note(expired: stored) }
        for (turn, result) in merge.turns { turn.resume(with: result) }
        for entry in merge.dropped { entry.cancel() }
        guard !merge.requested.isEmpty else { return }
        let waiting = state.withLock { $0.entries.values.filter(\.command.isWaiting).map(\.stored.id) }
        if merge.requested.isSuperset(of: waiting) { return endDelays() }
        for id in waiting where merge.requested.contains(id) { endDelays(of: id) }
    }
}

/// The work that is left when the list has the changes of others.
private struct Merge: Sendable {
    var turns: [CommandQueue.EndedTurn] = []
    /// Commands whose attempts are to be canceled.
    var dropped: [CommandQueue.Entry] = []
    /// Commands that have expired before the queue read them.
    var expired: [StoredCommand] = []
    /// Commands that another queue wants to be sent now.
    var requested: Set<UUID> = []
}

extension CommandQueue.State {
    /// Changes the list to match the store.
    ///
    /// - Parameter date: When new commands have expired; nil if they do not here.
    fileprivate mutating func merge(
        _ commands: [StoredCommand],
        for queue: CommandQueue,
        expiringAt date: Date?
    ) -> Merge {
        var merge = Merge()
        guard let sender, let base = sender.base else { return merge }
        let isReload = isLoaded
        isLoaded = true
        var numbers: [UUID: Int] = [:]
        for (number, entry) in entries where sent[number] == nil && !entry.isGone { numbers[entry.stored.id] = number }
        for stored in commands where !isSent(stored.id) {
            let isRequested: Bool
            if let number = numbers.removeValue(forKey: stored.id), let known = entries[number]?.stored {
                isRequested = stored.sendRequests > known.sendRequests
                merge.turns += update(number, to: stored, by: sender, for: queue)
            } else {
                isRequested = isReload && stored.sendRequests > 0
                var stored = stored
                if let date, stored.failure == nil,
                    let expiry = stored.expiry(after: sender.rules[stored.name]?.options.lifetime, at: date)
                {
                    stored.failure = "\(expiry)"
                    merge.expired.append(stored)
                }
                add(stored, by: sender, through: base, for: queue)
            }
            if isRequested, claim != nil { merge.requested.insert(stored.id) }
        }
        let gone = Set(numbers.values)
        if claim != nil {
            merge.dropped = remove { gone.contains($0.number) }
        } else {
            // Without a dispatch that could end, a failed command is simply removed.
            merge.dropped = remove { gone.contains($0.number) && $0.command.isFailed }
            for number in gone where entries[number] != nil {
                entries[number]?.isGone = true
                if let turn = entries[number]?.turn.take() { merge.turns.append((turn, .failure(EndedElsewhere()))) }
            }
        }
        return merge
    }

    /// Adds a command that this queue has not received from a dispatch.
    private mutating func add(
        _ stored: StoredCommand,
        by sender: CommandQueue.Sender,
        through base: any Dispatcher,
        for queue: CommandQueue
    ) {
        do {
            add(stored, try sender.run(of: stored), base, for: queue)
        } catch {
            add(stored, nil, base, for: queue)
            entries[lastNumber]?.command.state = .failed(reason: stored.failure ?? "\(error)")
        }
    }

    /// Carries out the changes of another queue to a command, and returns a turn that has ended.
    private mutating func update(
        _ number: Int,
        to stored: StoredCommand,
        by sender: CommandQueue.Sender,
        for queue: CommandQueue
    ) -> [CommandQueue.EndedTurn] {
        guard let entry = entries[number] else { return [] }
        entries[number]?.stored = stored
        // The queue that sends counts by itself.
        if claim == nil { entries[number]?.command.attempts = stored.attempts }
        if entry.command.isFailed {
            if entry.stored.failure != nil, stored.failure == nil, let run = try? entry.run ?? sender.run(of: stored) {
                restart(number, run, for: queue)
            }
        } else if claim == nil, let failure = stored.failure {
            fail(number, reason: failure)
            // Its dispatch ends, too.
            if let turn = entries[number]?.turn.take() { return [(turn, .failure(CancellationError()))] }
        }
        return []
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

extension StoredCommand {
    /// The error of an attempt at a date, if the command has expired.
    func expiry(after lifetime: Duration?, at date: Date) -> CommandExpired? {
        guard let lifetime, !isRetried, date >= self.date + lifetime.inSeconds else { return nil }
        return CommandExpired(name: name, age: lifetime)
    }
}

/// The error of a command that was not sent within the time that its rule allows.
struct CommandExpired: Error, CustomStringConvertible {
    let name: String
    let age: Duration

    var description: String {
        "\(name) was not sent within \(age.text), and has expired. Retry it to send it nevertheless, or drop it."
    }
}
