import DuetCluster
import DuetClusterEngine
import Foundation

extension MemoryNode: CommandLog, DeadLetters {
    var partitionCount: Int { MemoryLog.partitionCount }
    var deadLetters: any DeadLetters { self }

    func epoch() async throws -> UInt64 { hub.log.epoch }

    func append(_ command: LoggedCommand) async throws -> Appended {
        try Self.check(command.envelope)
        return try await hub.log.append(command, from: id)
    }

    func process(
        _ options: ProcessingOptions,
        abandoned: @escaping @Sendable @concurrent (Delivery) async -> Void,
        _ handler: @escaping @Sendable @concurrent (Delivery) async -> Disposition
    ) async throws -> any Registration {
        let processor = try await hub.log.add(options, on: id, abandoned: abandoned, handler)
        return Stopping { [hub] in await hub.log.stop(processor) }
    }

    func handledPosition(in partition: Int) async throws -> LogPosition { await hub.log.handled(in: partition) }

    func lastPosition(in partition: Int) async throws -> LogPosition { await hub.log.last(in: partition) }

    func contains(_ id: String, at position: LogPosition) async throws -> Bool {
        await hub.log.position(of: id) == position
    }

    func keepOutcome(_ outcome: Envelope, of id: String, at position: LogPosition) async throws {
        await hub.log.keep(outcome, of: id, at: position)
    }

    func outcome(of id: String, at position: LogPosition) async throws -> Envelope? {
        await hub.log.outcome(of: id, at: position)
    }

    func statistics() async throws -> LogStatistics { await hub.log.statistics }

    func list(limit: Int) async throws -> [DeadLetter] { Array(await hub.log.dead.prefix(limit)) }

    func find(_ position: LogPosition) async throws -> DeadLetter? {
        await hub.log.dead.first { $0.position == position }
    }

    func retry(_ id: String, body: Data?) async throws {
        if let body { try Self.check(Envelope(body: body)) }
        try await hub.log.retry(id, body: body)
    }

    func drop(_ id: String) async throws { _ = try await hub.log.drop(id) }
}

/// Remembers all commands, until the process ends.
actor MemoryLog {
    typealias Handler = @Sendable @concurrent (Delivery) async -> Disposition

    static let partitionCount = 8

    private struct Processor {
        let node: UUID
        let options: ProcessingOptions
        let abandoned: @Sendable @concurrent (Delivery) async -> Void
        let handler: Handler
        var running = 0
        var stopping: [CheckedContinuation<Void, Never>]?
    }

    private struct Entry {
        let command: LoggedCommand
        let position: LogPosition
        var attempts = 0
        /// The processors that have skipped it.
        var skippers: [Int] = []

        var delivery: Delivery {
            Delivery(command: command, position: position, attempt: attempts, skipped: skippers.count)
        }
    }

    private struct Partition {
        /// The commands that are not handled yet.
        var entries: [Entry] = []
        var last: UInt64 = 0
        var handled: UInt64 = 0
        /// While there is one, the first command is being handled, or paused.
        var turn: (number: Int, processor: Int?, task: Task<Void, Never>)?
    }

    nonisolated let epoch = UInt64.random(in: 1...(.max))
    private var outcomes: [String: [LogPosition: Envelope]] = [:]
    private(set) var dead: [DeadLetter] = []
    private var partitions = Array(repeating: Partition(), count: partitionCount)
    private var positions: [String: LogPosition] = [:]
    private var processors: [Int: Processor] = [:]
    private var lostNodes: Set<UUID> = []
    private var count = 0

    func handled(in partition: Int) -> LogPosition {
        LogPosition(partition: partition, sequence: partitions[partition].handled)
    }

    func last(in partition: Int) -> LogPosition {
        LogPosition(partition: partition, sequence: partitions[partition].last)
    }

    func position(of id: String) -> LogPosition? { positions[id] }

    func keep(_ outcome: Envelope, of id: String, at position: LogPosition) {
        outcomes[id, default: [:]][position] = outcome
    }

    func outcome(of id: String, at position: LogPosition) -> Envelope? { outcomes[id]?[position] }

    var statistics: LogStatistics {
        let deliveries = partitions.compactMap(\.entries.first).map { $0.attempts + $0.skippers.count }
        let running = deliveries.count { $0 > 0 }
        return LogStatistics(
            waiting: partitions.reduce(0) { $0 + $1.entries.count } - running,
            running: running,
            redelivered: deliveries.count { $0 > 1 },
            deadLetters: dead.count
        )
    }

    func append(_ command: LoggedCommand, from node: UUID) throws -> Appended {
        guard !lostNodes.contains(node) else { throw TransportError.lost }
        if let position = positions[command.id] { return Appended(position: position, isRepeat: true) }
        return Appended(position: add(command), isRepeat: false)
    }

    private func add(_ command: LoggedCommand) -> LogPosition {
        let index = LoggedCommand.partition(of: command.key, among: Self.partitionCount)
        partitions[index].last += 1
        let position = last(in: index)
        positions[command.id] = position
        partitions[index].entries.append(Entry(command: command, position: position))
        deliver(index)
        return position
    }

    func retry(_ id: String, body: Data?) throws {
        var command = try drop(id).command
        if let body { command.envelope.body = body }
        _ = add(command)
    }

    func drop(_ id: String) throws -> DeadLetter {
        guard let index = dead.firstIndex(where: { $0.id == id }) else { throw UnknownDeadLetter(id: id) }
        return dead.remove(at: index)
    }

    func add(
        _ options: ProcessingOptions,
        on node: UUID,
        abandoned: @escaping @Sendable @concurrent (Delivery) async -> Void,
        _ handler: @escaping Handler
    ) throws -> Int {
        guard !lostNodes.contains(node) else { throw TransportError.lost }
        count += 1
        processors[count] = Processor(node: node, options: options, abandoned: abandoned, handler: handler)
        defer { partitions.indices.forEach(deliver) }
        return count
    }

    func stop(_ id: Int) async {
        guard let processor = processors[id] else { return }
        guard processor.running > 0 else { return processors[id] = nil }
        await withCheckedContinuation { processors[id]?.stopping = (processor.stopping ?? []) + [$0] }
    }

    func lose(_ node: UUID) {
        lostNodes.insert(node)
        for (id, processor) in processors where processor.node == node {
            processors[id] = nil
            processor.stopping?.forEach { $0.resume() }
            for index in partitions.indices {
                guard let turn = partitions[index].turn, turn.processor == id else { continue }
                turn.task.cancel()
                pause(index, for: processor.options.redelivery)
            }
        }
    }

    private func deliver(_ index: Int) {
        guard partitions[index].turn == nil, let entry = partitions[index].entries.first else { return }
        let candidates = processors.filter { $0.value.stopping == nil }
        // A node that has not skipped the command comes first.
        func order(_ id: Int, _ processor: Processor) -> (Int, Int) {
            (entry.skippers.count { $0 == id }, processor.running)
        }
        guard let (id, processor) = candidates.min(by: { order($0.key, $0.value) < order($1.key, $1.value) })
        else { return }
        count += 1
        processors[id]?.running += 1
        let isAbandoned = entry.attempts >= processor.options.attempts
        if !isAbandoned { partitions[index].entries[0].attempts += 1 }
        let (number, delivery) = (count, partitions[index].entries[0].delivery)
        let task = Task.detached {
            guard isAbandoned else { return await self.complete(index, number, processor.handler(delivery)) }
            await processor.abandoned(delivery)
            await self.complete(index, number, .dead(reason: "Its last node was lost."))
        }
        partitions[index].turn = (number, id, task)
    }

    private func complete(_ index: Int, _ number: Int, _ disposition: Disposition) {
        // The result of a node that was lost meanwhile does not count.
        guard let turn = partitions[index].turn, turn.number == number, let id = turn.processor,
            let processor = processors[id]
        else { return }
        partitions[index].turn = nil
        switch disposition {
        case .done: _ = finish(index)
        case .dead(let reason): bury(index, reason)
        case .skipped(let delay):
            partitions[index].entries[0].attempts -= 1
            partitions[index].entries[0].skippers.append(id)
            pause(index, for: delay)
        case .retry(let delay, let reason):
            let isLast = partitions[index].entries[0].attempts >= processor.options.attempts
            if isLast { bury(index, reason) } else { pause(index, for: delay) }
        }
        processors[id]?.running -= 1
        if processors[id]?.running == 0, let stopping = processors[id]?.stopping {
            processors[id] = nil
            stopping.forEach { $0.resume() }
        }
        deliver(index)
    }

    private func finish(_ index: Int) -> Entry {
        let entry = partitions[index].entries.removeFirst()
        partitions[index].handled = entry.position.sequence
        return entry
    }

    private func bury(_ index: Int, _ reason: String) {
        let entry = finish(index)
        let outcome = outcome(of: entry.command.id, at: entry.position)
        keep(outcome ?? .deadLetter, of: entry.command.id, at: entry.position)
        dead.append(
            DeadLetter(
                id: "\(index)-\(entry.position.sequence)",
                command: entry.command,
                position: entry.position,
                attempts: entry.attempts,
                reason: reason,
                date: Date()
            )
        )
    }

    private func pause(_ index: Int, for delay: Duration) {
        count += 1
        let number = count
        let task = Task {
            try? await ContinuousClock().sleep(for: delay)
            resume(index, number)
        }
        partitions[index].turn = (number, nil, task)
    }

    private func resume(_ index: Int, _ number: Int) {
        guard partitions[index].turn?.number == number else { return }
        partitions[index].turn = nil
        deliver(index)
    }
}
