import Duet
import DuetClusterEngine
import Foundation

/// The commands of all nodes of a cluster in this process.
final class InProcessLog: Sendable {
    private struct Processor {
        let connection: InProcessConnection
        let options: ProcessingOptions
        let abandoned: AbandonmentHandler
        let handler: DeliveryHandler
        var running = 0
        var isStopped = false
    }

    private struct State {
        var partitions: [LogPartition]
        var processors: [Int: Processor] = [:]
        var recent = RecentCommands()
        var deadLetters: [DeadLetter] = []
        var lastID = 0

        mutating func newID() -> Int {
            lastID += 1
            return lastID
        }
    }

    let partitionCount: Int
    let epoch = UInt64.random(in: 1...(.max))
    private let clock: any Clock<Duration>
    /// The time since the creation.
    private let elapsed: @Sendable () -> Duration
    private let now: @Sendable () -> Date
    private let state: Monitor<State>

    init(partitions: Int, clock: any Clock<Duration>, now: @escaping @Sendable () -> Date) {
        partitionCount = max(1, partitions)
        self.clock = clock
        elapsed = clock.stopwatch()
        self.now = now
        state = Monitor(State(partitions: (0..<partitionCount).map { LogPartition($0) }))
    }

    var deadLetters: [DeadLetter] { state.read { $0.deadLetters } }

    var statistics: LogStatistics {
        state.read { state in
            LogStatistics(
                waiting: state.partitions.reduce(0) { $0 + $1.waiting },
                running: state.partitions.count { $0.isDelivered },
                redelivered: state.partitions.count { $0.isRedelivered },
                deadLetters: state.deadLetters.count
            )
        }
    }

    /// Reads the state of a partition; nil without one.
    func read<Value: Sendable>(_ partition: Int, _ body: (LogPartition) -> Value) -> Value? {
        state.read { state in
            state.partitions.indices.contains(partition) ? body(state.partitions[partition]) : nil
        }
    }

    func append(_ command: LoggedCommand) -> Appended {
        state.update { state in
            let time = elapsed()
            if let position = state.recent.position(of: command.id, at: time) {
                return Appended(position: position, isRepeat: true)
            }
            let position = add(command, to: &state)
            state.recent.insert(command.id, position, at: time)
            return Appended(position: position, isRepeat: false)
        }
    }

    func position(of id: String) -> LogPosition? {
        state.update { $0.recent.position(of: id, at: elapsed()) }
    }

    func keepOutcome(_ outcome: Envelope, of id: String, at position: LogPosition) {
        state.update { $0.recent[outcomeOf: id, at: position] = outcome }
    }

    func outcome(of id: String, at position: LogPosition) -> Envelope? {
        state.read { $0.recent[outcomeOf: id, at: position] }
    }

    /// Adds the command of a dead letter at the end of its partition.
    ///
    /// - Returns: Whether the dead letter exists.
    func retryDeadLetter(_ id: String, _ command: LoggedCommand) -> Bool {
        state.update { state in
            guard let index = state.deadLetters.firstIndex(where: { $0.id == id }) else { return false }
            state.deadLetters.remove(at: index)
            let position = add(command, to: &state)
            state.recent.move(command.id, to: position)
            return true
        }
    }

    /// - Returns: Whether it existed.
    func dropDeadLetter(_ id: String) -> Bool {
        state.update { state in
            let count = state.deadLetters.count
            state.deadLetters.removeAll { $0.id == id }
            return state.deadLetters.count < count
        }
    }

    /// Delivers commands to a handler until it is stopped.
    ///
    /// - Returns: The identifier of the processor.
    func addProcessor(
        _ connection: InProcessConnection,
        _ options: ProcessingOptions,
        abandoned: @escaping AbandonmentHandler,
        _ handler: @escaping DeliveryHandler
    ) throws -> Int {
        let id: Int? = state.update { state in
            // A connection is closed before its processors are removed.
            guard connection.isOpen else { return nil }
            let id = state.newID()
            state.processors[id] = Processor(
                connection: connection,
                options: options,
                abandoned: abandoned,
                handler: handler
            )
            for partition in state.partitions.indices { deliver(partition, in: &state) }
            return id
        }
        guard let id else { throw InProcessConnection.lost }
        return id
    }

    /// Delivers no further command to a processor, and waits until it has handled the others.
    func stopProcessor(_ id: Int) async {
        state.update { $0.processors[id]?.isStopped = true }
        await state.waitEvenIfCanceled { ($0.processors[id]?.running ?? 0) == 0 }
        state.update { $0.processors[id] = nil }
    }

    /// Removes the processors of a node.
    ///
    /// Their commands wait for the time of redelivery.
    func lose(_ connection: InProcessConnection) {
        let tasks = state.update { state in
            let lost = state.processors.filter { $0.value.connection === connection }
            for id in lost.keys { state.processors[id] = nil }
            var tasks: [Task<Void, Never>] = []
            for index in state.partitions.indices {
                guard case .running(_, let id, let task) = state.partitions[index].phase, let processor = lost[id]
                else {
                    continue
                }
                tasks.append(task)
                pause(index, for: processor.options.redelivery, in: &state)
            }
            return tasks
        }
        for task in tasks { task.cancel() }
    }
}

// MARK: Delivery

extension InProcessLog {
    private func add(_ command: LoggedCommand, to state: inout State) -> LogPosition {
        let partition = LoggedCommand.partition(of: command.key, among: partitionCount)
        let position = state.partitions[partition].append(command)
        deliver(partition, in: &state)
        return position
    }

    /// Delivers the first command of a partition if it can be delivered, and a processor is there.
    private func deliver(_ index: Int, in state: inout State) {
        if let entry = state.partitions[index].next {
            // Those come first that have skipped the command least often, then those with the fewest commands.
            let candidates = state.processors.lazy.filter { !$0.value.isStopped }.map { id, processor in
                let skips = entry.skippers.count { $0 == id }
                return (order: (skips, processor.running, id), processor: processor)
            }
            guard let (order, processor) = candidates.min(by: { $0.order < $1.order }) else { return }
            let id = order.2
            let isAbandoned = entry.attempts >= max(1, processor.options.attempts)
            let delivery = isAbandoned ? entry.delivery : state.partitions[index].deliver()
            guard let delivery else { return }
            let number = state.newID()
            state.processors[id]?.running += 1
            let task = Task.detached { [self] in
                guard isAbandoned else { return complete(number, of: index, await processor.handler(delivery)) }
                await processor.abandoned(delivery)
                let reason = "The node failed that handled the command in its last attempt."
                complete(number, of: index, .dead(reason: reason))
            }
            state.partitions[index].phase = .running(delivery: number, processor: id, task: task)
        }
    }

    private func complete(_ number: Int, of index: Int, _ disposition: Disposition) {
        state.update { state in
            // The result of a node that was lost meanwhile does not count.
            guard case .running(number, let id, _) = state.partitions[index].phase,
                let processor = state.processors[id]
            else { return }
            state.processors[id]?.running -= 1
            state.partitions[index].phase = .ready
            switch disposition {
            case .done: _ = state.partitions[index].finish()
            case .dead(let reason): makeDeadLetter(index, reason, in: &state)
            case .skipped(let delay):
                state.partitions[index].skip(by: id)
                if delay > .zero { pause(index, for: delay, in: &state) }
            case .retry(let delay, let reason):
                if let entry = state.partitions[index].next, entry.attempts >= processor.options.attempts {
                    makeDeadLetter(index, reason, in: &state)
                } else if delay > .zero {
                    pause(index, for: delay, in: &state)
                }
            }
            deliver(index, in: &state)
        }
    }

    /// Makes a dead letter of the first command of a partition.
    private func makeDeadLetter(_ index: Int, _ reason: String, in state: inout State) {
        guard let entry = state.partitions[index].finish() else { return }
        if state.recent[outcomeOf: entry.command.id, at: entry.position] == nil {
            state.recent[outcomeOf: entry.command.id, at: entry.position] = .deadLetter
        }
        state.deadLetters.append(
            DeadLetter(
                id: "\(index)-\(entry.position.sequence)",
                command: entry.command,
                position: entry.position,
                attempts: entry.attempts,
                reason: reason,
                date: now()
            )
        )
    }

    /// Delivers the first command of a partition again after a delay.
    private func pause(_ index: Int, for delay: Duration, in state: inout State) {
        let number = state.newID()
        state.partitions[index].phase = .paused(delivery: number)
        _ = DelayedCall(after: delay, clock: clock) { [self] in resume(index, number) }
    }

    private func resume(_ index: Int, _ number: Int) {
        state.update { state in
            guard case .paused(number) = state.partitions[index].phase else { return }
            state.partitions[index].phase = .ready
            deliver(index, in: &state)
        }
    }
}
