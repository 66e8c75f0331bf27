import Duet
import Foundation
import Synchronization

extension CommandQueue {
    /// Carries out the dispatch of one command, with all rules of the command.
    ///
    /// The dispatcher sends the command, and returns when it was sent or failed for good.
    typealias Run = @Sendable @concurrent (_ next: any Dispatcher, _ cache: QueryCache) async -> Void

    /// A command in the queue.
    struct Entry: Sendable {
        /// The place in the order of dispatch.
        let number: Int
        let stored: StoredCommand
        var command: QueuedCommand
        /// Nil for a command that could not be decoded.
        var run: Run?
        /// Sends the command; nil when the dispatcher is gone.
        var base: (any Dispatcher)?
        var task: Task<Void, Never>?
        /// Waits until it is this command's turn.
        var turn: CheckedContinuation<Void, any Error>?
        /// The number of failed attempts since the launch or the last retry, which determines the next delay.
        var failures = 0
        var endDelay: (@Sendable () -> Void)?
    }

    /// The cache whose dispatcher uses the queue.
    struct Sender: Sendable {
        let cache: QueryCache
        /// The rules by the names of their commands.
        let rules: [String: CacheRule.AnyEnqueue]
    }

    struct State: Sendable {
        struct Subscriber: Sendable {
            let continuation: AsyncStream<[QueuedCommand]>.Continuation
            var last: [QueuedCommand]
        }

        /// In ascending order of their numbers.
        var entries: [Entry] = []
        var lastNumber = 0
        var order: SendOrder
        var sender: Sender?
        var loading: Task<Void, Never>?
        var isLoaded = false
        /// The commands whose rules before the dispatch have not been carried out yet.
        var starting: Set<Int> = []
        var startWaiters: [Int: CheckedContinuation<Void, Never>] = [:]
        /// Commands that were sent, and whose rules are being carried out.
        var sent: [Int: QueuedCommand] = [:]
        /// Commands that were sent, and that the store could not remove.
        var unremoved: [UUID] = []
        var subscribers: [Int: Subscriber] = [:]
        var lastSubscriber = 0

        init(order: SendOrder) {
            self.order = order
        }
    }
}

extension CommandQueue.State {
    /// The position of a command in the list, or nil if it is not there anymore.
    func index(of number: Int) -> Int? {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].number < number { low = middle + 1 } else { high = middle }
        }
        return low < entries.count && entries[low].number == number ? low : nil
    }

    /// Changes a command, unless it was removed.
    mutating func change(_ number: Int, _ body: (inout CommandQueue.Entry) -> Void) {
        if let index = index(of: number) { body(&entries[index]) }
    }

    /// Begins the attempts of the commands whose turn it is, and returns their continuations.
    fileprivate mutating func begin() -> [CheckedContinuation<Void, any Error>] {
        var turns: [CheckedContinuation<Void, any Error>] = []
        while let number = order.next() {
            guard let index = index(of: number), let turn = entries[index].turn.take() else {
                order.endAttempt(of: number)
                continue
            }
            entries[index].command.state = .sending
            entries[index].command.attempts += 1
            turns.append(turn)
        }
        return turns
    }

    fileprivate mutating func publish() {
        guard !subscribers.isEmpty else { return }
        let commands = entries.map(\.command)
        for (id, subscriber) in subscribers where subscriber.last != commands {
            subscriber.continuation.yield(commands)
            subscribers[id]?.last = commands
        }
    }
}

extension CommandQueue {
    /// Changes the state, begins the attempts that are due, and publishes the list if it has changed.
    @discardableResult
    func update<Value: Sendable>(_ body: (inout State) -> Value) -> Value {
        let (value, turns) = state.withLock { state in
            let value = body(&state)
            let turns = state.begin()
            // Under the lock, so that no reader gets an older list last.
            state.publish()
            return (value, turns)
        }
        for turn in turns { turn.resume() }
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
        let removed = update { state in
            let removed = state.entries.filter(isMeant)
            for entry in removed { state.order.remove(entry.number) }
            state.entries.removeAll { isMeant($0) }
            return removed
        }
        for entry in removed {
            // Its wait ends here, because its task finds no entry anymore.
            entry.turn?.resume(throwing: CancellationError())
            entry.task?.cancel()
        }
    }

    /// Ends the delays of waiting commands.
    func endDelays(where isMeant: (Entry) -> Bool) {
        let ends = update { state in
            state.entries.indices.compactMap { index -> (@Sendable () -> Void)? in
                guard isMeant(state.entries[index]) else { return nil }
                state.entries[index].failures = 0
                return state.entries[index].endDelay.take()
            }
        }
        for end in ends { end() }
    }
}
