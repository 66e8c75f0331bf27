import Duet
import Foundation
import Synchronization

extension CommandQueue {
    /// Carries out the dispatch of one command, with all rules of the command.
    ///
    /// The dispatcher sends the command, and returns when it was sent or failed for good.
    typealias Run = @Sendable @concurrent (_ next: any Dispatcher, _ cache: QueryCache) async -> Void

    struct Entry: Sendable {
        /// The place in the order of dispatch.
        let number: Int
        /// The command as it is in the store, as far as the queue knows.
        var stored: StoredCommand
        var command: QueuedCommand
        /// The age at which the command expires, unless it was retried; nil if it does not.
        let lifetime: Duration?
        /// Whether the store does not have the command anymore, because another queue has sent or dropped it.
        var isGone = false
        /// Nil for a command that could not be decoded.
        var run: Run?
        /// Sends the command; nil when the dispatcher is gone.
        var base: (any Dispatcher)?
        var task: Task<Void, Never>?
        /// Waits until it is this command's turn.
        var turn: Turn?
        /// The number of failed attempts since the launch or the last retry, which determines the next delay.
        var failures = 0
        /// The last pause of the queue when the attempt began.
        var lastPause = 0
        var endDelay: (@Sendable () -> Void)?

        /// The error of an attempt at a date, if the command has expired.
        func expiry(at date: Date) -> CommandExpired? {
            stored.expiry(after: lifetime, at: date)
        }
    }

    typealias Turn = CheckedContinuation<Void, any Error>
    /// A turn to resume outside of the lock.
    typealias EndedTurn = (turn: Turn, result: Result<Void, any Error>)

    /// The cache whose dispatcher uses the queue.
    struct Sender: Sendable {
        let cache: QueryCache
        /// The rules by the names of their commands.
        let rules: [String: CacheRule.AnyEnqueue]
        /// Sends the commands that this queue has not received from a dispatch.
        var base: (any Dispatcher)?
    }

    /// A time in which nothing is sent, after a temporary error.
    struct Pause: Sendable {
        /// Nil if the pause lasts until ``CommandQueue/sendNow()``.
        let end: Date?
        let reason: String
        let timer: Task<Void, Never>?
    }

    struct State: Sendable {
        /// By their numbers.
        var entries: [Int: Entry] = [:]
        var lastNumber = 0
        var order: SendOrder
        var sender: Sender?
        var loading: Task<Void, Never>?
        /// Follows what other queues do.
        var following: Task<Void, Never>?
        var isLoaded = false
        /// The revision of the store to which the list belongs; nil if it has to be read.
        var revision: Int?
        /// The right to send the commands.
        var claim: SendingClaim?
        /// Whether another queue has the right.
        var isSentElsewhere = false
        var pause: Pause?
        /// Identifies the last pause.
        var lastPause = 0
        /// The number of pauses since the server last responded, which determines the next one.
        var pauses = 0
        /// Whether one command at a time is sent, until the server responds.
        var isProbing = false
        /// The commands whose rules before the dispatch have not been carried out yet.
        var starting: Set<Int> = []
        var startWaiters: [Int: CheckedContinuation<Void, Never>] = [:]
        /// Commands that were sent, and whose rules are being carried out.
        var sent: [Int: QueuedCommand] = [:]
        /// Commands that have failed, and whose changes are being withdrawn.
        var withdrawing: Set<Int> = []
        /// Commands that were sent, and that the store could not remove.
        var unremoved: [UUID] = []
        /// Each is notified of changes, and then reads the list.
        var subscribers: [Int: AsyncStream<Void>.Continuation] = [:]
        var lastSubscriber = 0

        init(order: SendOrder) {
            self.order = order
        }
    }
}

extension CommandQueue {
    /// The commands, from which their list is made outside of the lock: with thousands of them, that takes a while.
    struct Listing: Sendable {
        let entries: [Int: Entry]
        let order: SendOrder
        let pause: Pause?
        let isSentElsewhere: Bool
        /// Whether this queue sends the commands.
        let isSender: Bool
    }
}

extension CommandQueue.Listing {
    /// The commands in the order of their dispatch.
    var commands: [QueuedCommand] {
        entries.keys.sorted().compactMap { number in
            guard var command = entries[number]?.command, case .waiting(let until, let reason) = command.state else {
                return entries[number]?.command
            }
            if let failed = order.failed(before: number), let id = entries[failed]?.stored.id {
                command.state = .blocked(by: id)
            } else if isSentElsewhere {
                command.state = .handedOver
            } else if let pause {
                command.state = .waiting(until: pause.end.map { max($0, until ?? $0) }, reason: reason ?? pause.reason)
            }
            return command
        }
    }

    /// Whether no attempt runs, and none begins before a pause or a delay ends or somebody acts.
    var isSettled: Bool {
        guard !entries.values.contains(where: { $0.command.state == .sending }) else { return false }
        guard isSender, pause == nil else { return true }
        var keys: Set<String> = []
        return entries.values.sorted { $0.number < $1.number }
            .filter { !$0.command.isFailed && keys.insert($0.stored.key).inserted }
            .allSatisfy { $0.endDelay != nil || order.failed(before: $0.number) != nil }
    }
}

extension CommandQueue.State {
    var listing: CommandQueue.Listing {
        CommandQueue.Listing(
            entries: entries,
            order: order,
            pause: pause,
            isSentElsewhere: isSentElsewhere,
            isSender: claim != nil
        )
    }

    /// Begins the attempts of the commands whose turn it is, and returns their continuations.
    fileprivate mutating func begin(now: () -> Date) -> [CommandQueue.EndedTurn] {
        var turns: [CommandQueue.EndedTurn] = []
        while claim != nil, pause == nil, let number = order.next(isAlone: isProbing) {
            guard let turn = entries[number]?.turn.take() else {
                order.endAttempt(of: number)
                continue
            }
            if let expiry = entries[number]?.expiry(at: now()) {
                turns.append((turn, .failure(expiry)))
                continue
            }
            entries[number]?.command.state = .sending
            entries[number]?.command.attempts += 1
            entries[number]?.lastPause = lastPause
            turns.append((turn, .success(())))
        }
        return turns
    }

    /// Removes commands, and returns them, for their attempts to be canceled.
    mutating func remove(where isMeant: (CommandQueue.Entry) -> Bool) -> [CommandQueue.Entry] {
        let removed = entries.values.filter(isMeant)
        for entry in removed {
            order.remove(entry.number)
            entries[entry.number] = nil
        }
        if entries.isEmpty { endPause() }
        return removed
    }

    /// Whether a command was neither dropped nor stopped.
    func isRunning(_ number: Int) -> Bool { entries[number]?.task != nil }

    mutating func endPause() {
        pause?.timer?.cancel()
        pause = nil
    }

    /// Notes that the server has responded, so that commands are sent concurrently again.
    mutating func noteResponse() {
        pauses = 0
        isProbing = false
    }
}

extension CommandQueue.Entry {
    /// Cancels the attempt of a command that was removed.
    func cancel() {
        // Its wait ends here, because its task finds no entry anymore.
        turn?.resume(throwing: CancellationError())
        task?.cancel()
    }
}

extension CommandQueue {
    /// Changes the state, begins the attempts that are due, and notifies observers.
    @discardableResult
    func update<Value: Sendable>(_ body: (inout State) -> Value) -> Value {
        let (value, turns) = state.withLock { state in
            let value = body(&state)
            let turns = state.begin(now: now)
            for subscriber in state.subscribers.values { subscriber.yield() }
            return (value, turns)
        }
        for (turn, result) in turns { turn.resume(with: result) }
        return value
    }

    /// Waits until the rules of a command that precede its dispatch have been carried out.
    func waitForStart(of number: Int) async {
        await withCheckedContinuation { continuation in
            let isStarting = state.withLock { state in
                guard state.starting.contains(number) else { return false }
                state.startWaiters[number] = continuation
                return true
            }
            if !isStarting { continuation.resume() }
        }
    }

    /// Notes that the rules of a command have been carried out as far as the dispatch, or that its task has ended.
    func noteStart(of number: Int) {
        let waiter = state.withLock { state in
            state.starting.remove(number)
            return state.startWaiters.removeValue(forKey: number)
        }
        waiter?.resume()
    }

    /// Removes commands from the list, and cancels their attempts.
    func remove(where isMeant: (Entry) -> Bool) {
        for entry in update({ $0.remove(where: isMeant) }) { entry.cancel() }
    }

    /// Ends the pause of the queue and the delays of waiting commands.
    ///
    /// - Parameter id: The command that is meant, which is sent first; nil for all.
    func endDelays(of id: UUID? = nil) {
        let ended = update { state in
            // The attempt of a command that is being sent may fail.
            let meant = state.entries.values.filter { id == nil || $0.command.isWaiting && $0.command.id == id }
            // The command because of which the queue pauses may not wait yet.
            guard id == nil || !meant.isEmpty else { return meant }
            for entry in meant {
                state.entries[entry.number]?.failures = 0
                state.entries[entry.number]?.endDelay = nil
                if id != nil { state.order.prefer(entry.number) }
            }
            state.pauses = 0
            state.endPause()
            return meant
        }
        for entry in ended { entry.endDelay?() }
    }
}
