import Duet
import DuetContext
import Foundation
import Synchronization

extension CommandQueue {
    /// The rules and the dispatcher that a queue sends with.
    struct Destination {
        /// By the names of their commands.
        let rules: [String: QueueRule]
        let base: any Dispatcher

        init(rules: [QueueRule], base: any Dispatcher) {
            self.rules = Dictionary(rules.map { ($0.name, $0) }) { first, _ in first }
            self.base = base
        }
    }

    struct State {
        var list: QueueState
        var destination: Destination?
        /// The tasks that read the store at the launch, and let followers show what it has.
        var loading: [Task<Void, Never>] = []
        /// The task that follows the changes of other queues.
        var following: Task<Void, Never>?
        var isLoaded = false
        /// The revision of the store to which the list belongs; nil if it has to be read.
        var revision: Int?
        var claim: SendingClaim? { didSet { list.hasClaim = claim != nil } }
        /// Whether another queue has the right.
        var isSentElsewhere = false
        /// Commands that were sent, and that the store could not remove.
        var unremoved: [UUID] = []
        var followers: [WeakFollower] = []
        /// Commands of an earlier launch that were sent before there was a follower.
        var sentAlone: [QueueEntry] = []
        /// Wakes the queue when the next pause ends.
        var timer: Timer?
        /// Each is notified of changes, and then reads the list.
        var subscribers: [Int: AsyncStream<Void>.Continuation] = [:]
        var lastSubscriber = 0

        var commands: [QueuedCommand] { list.commands(isSentElsewhere: isSentElsewhere) }

        /// Whether the queue has done for now what it can.
        var isSettled: Bool { destination == nil || list.isIdle }
    }

    struct Timer {
        let end: Duration
        var call: DelayedCall?
    }

    struct WeakFollower {
        weak let follower: (any QueueFollower)?
    }

    /// Changes the state, begins the attempts that are due, and notifies observers.
    @discardableResult
    func update<Value: Sendable>(_ body: (inout State) -> Value) -> Value {
        let (value, begun, canceled, destination, claim) = state.withLock { state in
            let value = body(&state)
            let begun = state.list.begin(at: time())
            for subscriber in state.subscribers.values { subscriber.yield() }
            return (value, begun, state.list.takeCanceled(), state.destination, state.claim)
        }
        for task in canceled { task.cancel() }
        if let destination { for beginning in begun { start(beginning, by: destination, claim) } }
        setTimer()
        return value
    }

    private func setTimer() {
        let (end, old) = state.withLock { state -> (Duration?, DelayedCall?) in
            let end = state.list.nextEnd
            guard state.timer?.end != end else { return (nil, nil) }
            defer { state.timer = end.map { Timer(end: $0) } }
            return (end, state.timer?.call)
        }
        old?.cancel()
        guard let end else { return }
        let call = DelayedCall(after: max(.zero, end - time()), clock: clock) { [weak self] in
            self?.update { if $0.timer?.end == end { $0.timer = nil } }
        }
        let isReplaced = state.withLock { state in
            guard state.timer?.end == end else { return true }
            state.timer?.call = call
            return false
        }
        if isReplaced { call.cancel() }
    }

    // MARK: Attempts

    private func start(_ beginning: QueueState.Beginning, by destination: Destination, _ claim: SendingClaim?) {
        let entry = beginning.entry
        // Detached, because the command must not inherit the deadline of its dispatch.
        let task = Task.detached { [self] in
            // They carry out the rules, also if the dispatcher is gone by then.
            let followers = entry.shown.map(\.follower)
            await entry.caller.run { await attempt(beginning, by: destination) }
            // Nobody else sends while the attempt may still reach the server.
            withExtendedLifetime((followers, claim)) {}
        }
        update { $0.list.note(task, of: entry.id, beginning.attempt) }
    }

    /// Sends a command once, and carries out what follows.
    ///
    /// A command that was sent leaves the store after its rules have been carried out: a reader that finds it gone
    /// finds no stale value, and if the process ends before, the next launch sends it and carries out the rules again.
    private func attempt(_ beginning: QueueState.Beginning, by destination: Destination) async {
        let entry = beginning.entry
        if let refusal = beginning.refusal { return await fail(entry.id, refusal) }
        await noteProgress(of: entry.id)
        do {
            try Task.checkCancellation()
            let version = try await CommandVersion().reached {
                try await withIdempotencyKey(entry.stored.idempotencyKey) {
                    try await entry.send(through: destination.base)
                }
            }
            update { $0.list.noteResponse(to: entry.stored.name) }
            await end(entry.id, .sent(version))
            await removeSent(entry.stored)
            update { _ = $0.list.endAttempt(of: entry.id, removing: true) }
        } catch  where Task.isCancelled {
            await noteEnd(of: entry.id)
            await withdraw(update { $0.list.endAttempt(of: entry.id) })
        } catch  where isTemporary(error) || error is CancellationError || error.needsSignIn {
            await noteEnd(of: entry.id)
            await withdraw(pause(after: error, of: entry.id))
        } catch {
            update { $0.list.noteResponse(to: entry.stored.name) }
            await fail(entry.id, error)
        }
    }

    private func fail(_ id: UUID, _ error: any Error) async {
        let reason = "\(error)"
        await noteEnd(of: id, failure: reason)
        await end(id, .failed)
        update { state in
            state.list.change(id) { $0.fail(because: reason, error) }
            _ = state.list.endAttempt(of: id)
        }
    }

    /// Withdraws the changes of a command that was dropped during its attempt.
    private func withdraw(_ dropped: QueueEntry?) async {
        if let dropped { await end(dropped, .failed) }
    }

    /// Lets followers carry out the rules of a command that has ended.
    private func end(_ id: UUID, _ end: CommandEnd) async {
        let entry = state.withLock { state -> QueueEntry? in
            guard let entry = state.list.beginEnd(of: id) else { return nil }
            if case .sent = end, entry.isOfEarlierLaunch, state.followers.isEmpty { state.sentAlone.append(entry) }
            return entry
        }
        if let entry { await self.end(entry, end) }
    }

    func end(_ entry: QueueEntry, _ end: CommandEnd) async {
        // A follower may have come meanwhile.
        for shown in entry.shown + show(entry) { await shown.end(end) }
    }

    /// Shows the changes of a command to the followers that do not show them yet.
    func show(_ entry: QueueEntry) -> [any ShownCommand] {
        guard let command = entry.command, entry.failure == nil else { return [] }
        let followers = state.withLock { $0.followers.compactMap(\.follower) }
        let missing = followers.filter { follower in !entry.shown.contains { $0.follower === follower } }
        return entry.caller.run { missing.map { $0.show(command) } }
    }

    private func pause(after error: any Error, of id: UUID) -> QueueEntry? {
        let advice = error as? any TemporaryError
        let (date, time, reason) = (now(), time(), "\(error)")
        func pause(_ delay: Duration) -> SendPauses.Pause {
            SendPauses.Pause(end: time + delay, date: date + delay.inSeconds, reason: reason)
        }
        var wish = advice?.retryAfter.map { pause(min(max(.zero, $0), Self.longestWish) + delay(afterFailures: 1)) }
        if error.needsSignIn { wish = SendPauses.Pause(end: nil, date: nil, reason: reason) }
        return update { state in
            state.list.endAttempt(of: id, after: error, obeying: wish) { pause(delay(afterFailures: $0)) }
        }
    }

    /// At least half of the maximum, so that no series of short delays becomes a burst.
    private func delay(afterFailures failures: Int) -> Duration {
        delays.delay(afterAttempt: failures, random: 0.5 + random() / 2)
    }

    /// The longest `Retry-After` that is obeyed.
    private static var longestWish: Duration { .seconds(24 * 3_600) }
}

extension Error {
    fileprivate var needsSignIn: Bool { (self as? any TemporaryError)?.needsSignIn == true }
}
