import DuetClusterEngine
import Foundation

extension InProcessNode: CommandLog {
    var partitionCount: Int { hub.log.partitionCount }

    var deadLetters: any DeadLetters { self }

    func epoch() async throws -> UInt64 {
        try connection.check()
        return hub.log.epoch
    }

    func append(_ command: LoggedCommand) async throws -> Appended {
        try connection.check()
        try hub.limit.check(command.envelope)
        return hub.log.append(command)
    }

    func process(
        _ options: ProcessingOptions,
        abandoned: @escaping AbandonmentHandler,
        _ handler: @escaping DeliveryHandler
    ) async throws -> any Registration {
        Processing(id: try hub.log.addProcessor(connection, options, abandoned: abandoned, handler), log: hub.log)
    }

    func handledPosition(in partition: Int) async throws -> LogPosition {
        try position(in: partition, \.handled)
    }

    func lastPosition(in partition: Int) async throws -> LogPosition {
        try position(in: partition, \.last)
    }

    private func position(in partition: Int, _ sequence: (LogPartition) -> UInt64) throws -> LogPosition {
        try connection.check()
        guard let sequence = hub.log.read(partition, sequence) else {
            throw TransportError.refused(reason: "there is no partition \(partition); there are \(partitionCount)")
        }
        return LogPosition(partition: partition, sequence: sequence)
    }

    func contains(_ id: String, at position: LogPosition) async throws -> Bool {
        try connection.check()
        return hub.log.position(of: id) == position
    }

    func keepOutcome(_ outcome: Envelope, of id: String, at position: LogPosition) async throws {
        try connection.check()
        hub.log.keepOutcome(outcome, of: id, at: position)
    }

    func outcome(of id: String, at position: LogPosition) async throws -> Envelope? {
        try connection.check()
        return hub.log.outcome(of: id, at: position)
    }

    func statistics() async throws -> LogStatistics {
        try connection.check()
        return hub.log.statistics
    }
}

private struct Processing: Registration {
    let id: Int
    let log: InProcessLog

    func stop() async { await log.stopProcessor(id) }
}

extension InProcessNode: DeadLetters {
    func list(limit: Int) async throws -> [DeadLetter] {
        try connection.check()
        return Array(hub.log.deadLetters.prefix(max(0, limit)))
    }

    func find(_ position: LogPosition) async throws -> DeadLetter? {
        try connection.check()
        return hub.log.deadLetters.first { $0.position == position }
    }

    func retry(_ id: String, body: Data?) async throws {
        try connection.check()
        guard let letter = hub.log.deadLetters.first(where: { $0.id == id }) else { throw UnknownDeadLetter(id: id) }
        var command = letter.command
        if let body { command.envelope.body = body }
        try hub.limit.check(command.envelope)
        guard hub.log.retryDeadLetter(id, command) else { throw UnknownDeadLetter(id: id) }
    }

    func drop(_ id: String) async throws {
        try connection.check()
        guard hub.log.dropDeadLetter(id) else { throw UnknownDeadLetter(id: id) }
    }
}
