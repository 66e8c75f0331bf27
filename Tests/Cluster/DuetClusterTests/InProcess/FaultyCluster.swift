import Duet
import DuetCluster
import DuetClusterEngine
import DuetContracts
import DuetTesting
import Foundation
import Synchronization

/// A node of a cluster that breaks the contract of engines in one way.
struct FaultyCluster: ClusterEngine {
    enum Fault: CaseIterable {
        case headersAreLost, routesHaveNoCase, onlyFirstNodeServes, responsesAreMixedUp, noNodeTimesOut, timeoutsAreLong
        case callersAreNotCanceled, handlersAreNotCanceled, handlersAreNotLimited, stopReturnsEarly, stopDoesNothing
        case limitIsMissing, limitIsOneByteLess
        case identifiersDiffer, repeatsAreUnknown, keysDiffer, keysAreEqual, commandsAreLost, attemptsAreOneMore
        case redeliveryIsLate, abandonmentIsSilent, skippedAttemptsCount, skippedCommandsStay
        case slowCommandsAreRetried, retriesAreImmediate, retriesAreIgnored, handledCommandsRemain, deathsAreIgnored
        case deadLettersAreUnordered, deadLettersAreUnlimited, deadLettersKeepTheirBody, deadLettersRemain
        case unknownDeadLettersAreIgnored, deadLettersAreNotFound, deadLettersHaveNoOutcome, dropsForgetOutcomes
        case repeatsKeepTheirPosition, numbersDiffer, handledCommandsAreForgotten, lostCommandsAreThere
        case outcomesAreLost, positionsAreLate, lastPositionsAreEarly, statisticsAreEmpty
        case everyTenthEventIsLost, eventsComeTwice, followersStartAtZero, eventsAreLocal

        /// The descriptions of the clauses that detect the fault.
        var clauses: [String] {
            switch self {
            case .headersAreLost:
                [
                    "requests and responses arrive unchanged", "a command arrives unchanged",
                    "all nodes receive all events in one order",
                ]
            case .routesHaveNoCase: ["a route may be any text"]
            case .onlyFirstNodeServes:
                [
                    "two nodes that serve a route share its queries", "the other node answers after one has stopped",
                    "the other node answers after one was lost",
                ]
            case .responsesAreMixedUp: ["concurrent queries receive their own responses"]
            case .noNodeTimesOut:
                [
                    "a route that no node serves is reported at once",
                    "stopping a route finishes the queries that are being handled",
                ]
            case .handledCommandsAreForgotten, .lostCommandsAreThere:
                ["the log has a command at its position, also after it was handled"]
            case .timeoutsAreLong: ["a query without a response times out"]
            case .callersAreNotCanceled, .handlersAreNotCanceled:
                ["canceling a query cancels its handler on the other node"]
            case .handlersAreNotLimited: ["no more queries than the limit are handled at the same time"]
            case .stopReturnsEarly:
                [
                    "stopping a route finishes the queries that are being handled",
                    "stopping finishes the command that is being handled, and takes no other",
                ]
            case .stopDoesNothing:
                [
                    "stopping a route finishes the queries that are being handled",
                    "the other node answers after one has stopped",
                    "stopping finishes the command that is being handled, and takes no other",
                ]
            case .limitIsMissing, .limitIsOneByteLess:
                [
                    "requests and responses that are too large are refused",
                    "commands that are too large are refused",
                    "events that are too large are refused",
                ]
            case .identifiersDiffer:
                [
                    "a command is added once, and duplicates get its position",
                    "the log says which command was not added again",
                ]
            case .repeatsAreUnknown: ["the log says which command was not added again"]
            case .keysDiffer:
                ["a command arrives unchanged", "the commands of a partition are handled one at a time, in order"]
            case .keysAreEqual: ["a slow command delays only its own partition"]
            case .commandsAreLost: ["a command waits for a node that handles commands"]
            case .attemptsAreOneMore:
                [
                    "a command becomes a dead letter when its attempts are used up",
                    "a command that ends each of its nodes becomes a dead letter",
                ]
            case .redeliveryIsLate:
                [
                    "the command of a lost node is delivered to another node",
                    "a command that ends each of its nodes becomes a dead letter",
                ]
            case .abandonmentIsSilent: ["a command that ends each of its nodes becomes a dead letter"]
            case .skippedAttemptsCount: ["a skipped attempt does not count"]
            case .skippedCommandsStay: ["a command that nodes skip comes to the others"]
            case .slowCommandsAreRetried: ["a slow command is not delivered twice"]
            case .retriesAreImmediate: ["a command is retried after its delay, before later ones"]
            case .retriesAreIgnored:
                [
                    "a command is retried after its delay, before later ones", "the statistics count the commands",
                    "a command becomes a dead letter when its attempts are used up",
                ]
            case .handledCommandsRemain: ["the handled position follows the commands of its partition"]
            case .deathsAreIgnored, .deadLettersAreNotFound:
                ["a command whose handler ends it becomes a dead letter at once"]
            case .deadLettersAreUnordered, .deadLettersAreUnlimited:
                ["dead letters are listed in order, up to a limit"]
            case .deadLettersKeepTheirBody: ["a dead letter is retried, with its body or another one"]
            case .deadLettersRemain, .unknownDeadLettersAreIgnored: ["a dead letter can be dropped"]
            case .deadLettersHaveNoOutcome:
                [
                    "a dead letter has an outcome, also after it was dropped",
                    "a command that ends each of its nodes becomes a dead letter",
                ]
            case .dropsForgetOutcomes: ["a dead letter has an outcome, also after it was dropped"]
            case .repeatsKeepTheirPosition: ["a repeat gets the position of the last retry"]
            case .numbersDiffer: ["all nodes know the number of the log"]
            case .outcomesAreLost: ["the outcome of a command is kept for repeats"]
            case .positionsAreLate, .lastPositionsAreEarly:
                ["the handled position follows the commands of its partition"]
            case .statisticsAreEmpty: ["the statistics count the commands"]
            case .everyTenthEventIsLost, .eventsComeTwice:
                [
                    "all nodes receive all events in one order",
                    "a follower receives events that it has not waited for",
                ]
            case .followersStartAtZero: ["a follower receives the events after its start"]
            case .eventsAreLocal: ["all nodes receive all events in one order"]
            }
        }
    }

    let fault: Fault
    let base: InProcessCluster
    /// A cluster without other nodes.
    let local = InProcessCluster()
    let isFirst: Bool
    /// The first positions of the commands.
    let positions = Monitor<[String: LogPosition]>([:])

    var queries: any QueryTransport { FaultyQueries(cluster: self) }
    var commands: any CommandLog { FaultyLog(cluster: self) }
    var backplane: any Backplane { FaultyBackplane(cluster: self) }

    func carried(_ envelope: Envelope) throws -> Envelope {
        if fault == .limitIsOneByteLess, envelope.size == 1_048_576 {
            throw TransportError.tooLarge(bytes: envelope.size, limit: envelope.size - 1)
        }
        return fault == .headersAreLost ? Envelope(body: envelope.body) : envelope
    }

    /// Returns nodes of one faulty cluster.
    static func nodes(_ fault: Fault) -> @Sendable (String) -> ClusterNode {
        let cluster = InProcessCluster(maximumSize: fault == .limitIsMissing ? 1 << 30 : 1_048_576)
        let count = Mutex(0)
        return { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            let node = cluster.node()
            return ClusterNode(FaultyCluster(fault: fault, base: node, isFirst: number == 1)) { node.disconnect() }
        }
    }
}

private struct FaultyQueries: QueryTransport {
    let cluster: FaultyCluster
    var fault: FaultyCluster.Fault { cluster.fault }

    func ask(_ route: String, _ request: Envelope, timeout: Duration) async throws -> Envelope {
        let request = fault == .responsesAreMixedUp && request.body == Data("7".utf8) ? Envelope() : request
        let route = fault == .routesHaveNoCase ? route.lowercased() : route
        let timeout = fault == .timeoutsAreLong ? .seconds(3_600) : timeout
        let carried = try cluster.carried(request)
        do {
            guard fault == .callersAreNotCanceled else {
                return try await cluster.base.queries.ask(route, carried, timeout: timeout)
            }
            return try await Task.detached { try await cluster.base.queries.ask(route, carried, timeout: timeout) }
                .value
        } catch TransportError.noNode where fault == .noNodeTimesOut {
            throw TransportError.timedOut(route: route, after: timeout)
        }
    }

    func serve(
        _ route: String,
        limit: Int,
        _ handler: @escaping @Sendable @concurrent (Envelope) async -> Envelope
    ) async throws -> any Registration {
        if fault == .onlyFirstNodeServes, !cluster.isFirst { return FaultyRegistration(fault: fault, base: nil) }
        let route = fault == .routesHaveNoCase ? route.lowercased() : route
        let limit = fault == .handlersAreNotLimited ? .max : limit
        let base = try await cluster.base.queries.serve(route, limit: limit) { request in
            guard fault == .handlersAreNotCanceled else { return await handler(request) }
            return await Task.detached { await handler(request) }.value
        }
        return FaultyRegistration(fault: fault, base: base)
    }
}

private struct FaultyRegistration: Registration {
    let fault: FaultyCluster.Fault
    let base: (any Registration)?

    func stop() async {
        switch fault {
        case .stopDoesNothing: break
        case .stopReturnsEarly: Task { await base?.stop() }
        default: await base?.stop()
        }
    }
}

private struct FaultyLog: CommandLog {
    let cluster: FaultyCluster
    var fault: FaultyCluster.Fault { cluster.fault }
    var log: any CommandLog { cluster.base.commands }
    var partitionCount: Int { log.partitionCount }
    var deadLetters: any DeadLetters { FaultyDeadLetters(fault: fault, base: log.deadLetters) }

    func epoch() async throws -> UInt64 {
        try await log.epoch() ^ (fault == .numbersDiffer && cluster.isFirst ? 1 : 0)
    }

    func append(_ command: LoggedCommand) async throws -> Appended {
        let lost = Appended(position: LogPosition(partition: 0, sequence: 1), isRepeat: false)
        if fault == .commandsAreLost { return lost }
        let key = fault == .keysDiffer ? "\(command.key)\(command.id)" : fault == .keysAreEqual ? "key" : command.key
        let id = fault == .identifiersDiffer ? "\(UInt64.random(in: .min ... .max))" : command.id
        let envelope = try cluster.carried(command.envelope)
        let changed = LoggedCommand(id: id, key: key, message: command.message, envelope: envelope)
        let appended = try await log.append(changed)
        if fault == .repeatsKeepTheirPosition {
            let first = cluster.positions.update { positions in
                let first = positions[id] ?? appended.position
                positions[id] = first
                return first
            }
            return Appended(position: first, isRepeat: appended.isRepeat)
        }
        return fault == .repeatsAreUnknown ? Appended(position: appended.position, isRepeat: false) : appended
    }

    func process(
        _ options: ProcessingOptions,
        abandoned: @escaping @Sendable @concurrent (Delivery) async -> Void,
        _ handler: @escaping @Sendable @concurrent (Delivery) async -> Disposition
    ) async throws -> any Registration {
        var options = options
        if fault == .attemptsAreOneMore { options.attempts += 1 }
        if fault == .redeliveryIsLate { options.redelivery = .seconds(3_600) }
        let isSilent = fault == .abandonmentIsSilent
        let base = try await log.process(options, abandoned: { if !isSilent { await abandoned($0) } }) {
            [redelivery = options.redelivery] delivery in
            if fault == .slowCommandsAreRetried, delivery.attempt == 1 {
                Task.detached { await handler(delivery) }
                return .retry(after: redelivery, reason: "slow")
            }
            if fault == .skippedCommandsStay { return await Self.handle(delivery, handler) }
            switch (fault, await handler(delivery)) {
            case (.retriesAreImmediate, .retry(_, let reason)): return .retry(after: .zero, reason: reason)
            case (.retriesAreIgnored, .retry), (.deathsAreIgnored, .dead): return .done
            case (.skippedAttemptsCount, .skipped(let delay)): return .retry(after: delay, reason: "")
            case (.handledCommandsRemain, .done) where delivery.attempt == 1:
                return .retry(after: .seconds(3_600), reason: "")
            case (_, let disposition): return disposition
            }
        }
        return FaultyRegistration(fault: fault, base: base)
    }

    /// Hands a command to the same node again for as long as it skips it.
    private static func handle(
        _ delivery: Delivery,
        _ handler: @Sendable @concurrent (Delivery) async -> Disposition
    ) async -> Disposition {
        for skipped in delivery.skipped... {
            let (command, position) = (delivery.command, delivery.position)
            let again = Delivery(command: command, position: position, attempt: delivery.attempt, skipped: skipped)
            let disposition = await handler(again)
            guard case .skipped = disposition, !Task.isCancelled else { return disposition }
        }
        return .done
    }

    func handledPosition(in partition: Int) async throws -> LogPosition {
        let position = try await log.handledPosition(in: partition)
        return fault == .positionsAreLate ? LogPosition(partition: partition, sequence: 0) : position
    }

    func lastPosition(in partition: Int) async throws -> LogPosition {
        let position = try await log.lastPosition(in: partition)
        return fault == .lastPositionsAreEarly ? LogPosition(partition: partition, sequence: 0) : position
    }

    func contains(_ id: String, at position: LogPosition) async throws -> Bool {
        let isThere = try await log.contains(id, at: position)
        if fault == .handledCommandsAreForgotten, isThere {
            return try await log.handledPosition(in: position.partition).sequence < position.sequence
        }
        return fault == .lostCommandsAreThere || isThere
    }

    func keepOutcome(_ outcome: Envelope, of id: String, at position: LogPosition) async throws {
        if fault != .outcomesAreLost { try await log.keepOutcome(outcome, of: id, at: position) }
    }

    func outcome(of id: String, at position: LogPosition) async throws -> Envelope? {
        let outcome = try await log.outcome(of: id, at: position)
        if fault == .deadLettersHaveNoOutcome, outcome == .deadLetter { return nil }
        if fault == .dropsForgetOutcomes, try await log.deadLetters.find(position) == nil { return nil }
        return outcome
    }

    func statistics() async throws -> LogStatistics {
        fault == .statisticsAreEmpty ? LogStatistics() : try await log.statistics()
    }
}

private struct FaultyDeadLetters: DeadLetters {
    let fault: FaultyCluster.Fault
    let base: any DeadLetters

    func list(limit: Int) async throws -> [DeadLetter] {
        let letters = try await base.list(limit: fault == .deadLettersAreUnlimited ? .max : limit)
        return fault == .deadLettersAreUnordered ? letters.reversed() : letters
    }

    func find(_ position: LogPosition) async throws -> DeadLetter? {
        fault == .deadLettersAreNotFound ? nil : try await base.find(position)
    }

    func retry(_ id: String, body: Data?) async throws {
        try await base.retry(id, body: fault == .deadLettersKeepTheirBody ? nil : body)
    }

    func drop(_ id: String) async throws {
        if fault == .deadLettersRemain { return }
        do {
            try await base.drop(id)
        } catch is UnknownDeadLetter where fault == .unknownDeadLettersAreIgnored {}
    }
}

private struct FaultyBackplane: Backplane {
    let cluster: FaultyCluster
    var fault: FaultyCluster.Fault { cluster.fault }
    var base: any Backplane { (fault == .eventsAreLocal ? cluster.local : cluster.base).backplane }

    func publish(_ event: Envelope) async throws -> UInt64 {
        try await base.publish(cluster.carried(event))
    }

    func follow() async throws -> BackplaneFollower {
        let base = try await base.follow()
        let (events, continuation) = AsyncStream<BackplaneEvent>.makeStream()
        Task { [fault] in
            var count = 0
            for await event in base.events {
                count += 1
                if fault == .everyTenthEventIsLost, count % 10 == 0 { continue }
                continuation.yield(event)
                if fault == .eventsComeTwice { continuation.yield(event) }
            }
            continuation.finish()
        }
        return BackplaneFollower(start: fault == .followersStartAtZero ? 0 : base.start, events: events)
    }
}
