import Duet
import DuetClusterEngine
import DuetContext

/// The positions that this node has reached, including the invalidations of the commands before them.
final class Positions: Sendable {
    private struct State {
        /// The number of the log to which the positions belong.
        var epoch: UInt64?
        var commands: [Int: UInt64] = [:]
        var events: UInt64 = 0

        func has(_ position: LogPosition) -> Bool { commands[position.partition] ?? 0 >= position.sequence }
    }

    /// The time that a read of a cached value waits, unless it has an earlier deadline.
    private static let limit: Duration = .seconds(5)

    /// The first and the last pause before the log is asked again.
    private static let pauses = (first: Duration.milliseconds(100), last: Duration.seconds(1))

    private let engine: any ClusterEngine
    private let log: LogState
    private let hasCaches: Bool
    private let reached = Monitor(State())

    /// - Parameter hasCaches: Whether this node has values that an event can make stale.
    init(_ engine: any ClusterEngine, hasCaches: Bool) {
        self.engine = engine
        log = LogState(engine)
        self.hasCaches = hasCaches
    }

    /// Notes that a command was carried out, of which another node may have told.
    func note(_ position: LogPosition) {
        guard (0..<engine.commands.partitionCount).contains(position.partition) else { return }
        reached.update { reached in
            if !reached.has(position) { reached.commands[position.partition] = position.sequence }
        }
    }

    /// Notes that the caches have carried out all events up to a position.
    func noteEvents(upTo position: UInt64) { reached.update { $0.events = max($0.events, position) } }

    /// Waits a moment until the caches have carried out all events up to a position, which others know.
    ///
    /// - Returns: The position whose events a value contains from now on. Without caches, handlers read what commands
    ///   have changed before their events.
    func events(reaching position: UInt64, within limit: Duration, _ clock: any Clock<Duration>) async -> UInt64 {
        guard hasCaches else { return max(position, reached.read(\.events)) }
        if reached.read(\.events) < position {
            try? await withTimeout(limit, clock: clock, error: Unreached()) { [reached] in
                try await reached.wait { $0.events >= position ? () : nil }
            }
        }
        return reached.read(\.events)
    }

    /// Waits until the caches of this node have carried out the commands of the current write token.
    ///
    /// - Throws: ``ClusterError/behind(message:)``; an error of the log that another attempt would not end.
    func wait(for query: String, _ clock: any Clock<Duration>) async throws {
        guard let token = WriteToken.current else { return }
        let limit = min(Deadline.current?.remaining ?? Self.limit, Self.limit)
        guard try await wait(for: token, of: query, within: limit, clock) else {
            throw ClusterError.behind(message: query)
        }
    }

    /// Returns whether this node has reached all positions of a token, after waiting for them.
    ///
    /// It does not wait for positions that the log does not have, which anyone may have made up, and not for those of a
    /// log that is gone.
    ///
    /// - Throws: ``ClusterError/unreadable(message:reason:)`` if the log does not have the partitions of all positions;
    ///   an error of the log that another attempt would not end.
    func wait(
        for token: WriteToken,
        of message: String,
        within limit: Duration,
        _ clock: any Clock<Duration>
    ) async throws -> Bool {
        let positions = token.all
        let missing = reached.read { reached in
            // Without an epoch, the text is from an earlier version.
            token.epoch.map { $0 == reached.epoch } ?? true ? positions.filter { !reached.has($0) } : positions
        }
        guard !missing.isEmpty else { return true }
        do {
            return try await withTimeout(limit, clock: clock, error: Unreached()) { [self] in
                guard try await belongs(token) else { return true }
                guard missing.allSatisfy({ $0.partition < engine.commands.partitionCount }) else {
                    let reason = "its write token has a partition that the log does not have"
                    throw ClusterError.unreadable(message: message, reason: reason)
                }
                try await reach(missing, clock)
                return true
            }
        } catch is Unreached {
            return false
        } catch let error as TransportError where error.isTemporary {
            return false
        }
    }

    /// Waits until this node has reached all positions.
    ///
    /// It asks the log from time to time: an event that came before the number of the log was known does not count.
    private func reach(_ positions: [LogPosition], _ clock: any Clock<Duration>) async throws {
        var pause = Self.pauses.first
        while true {
            try await noteHandled(reached.read { reached in positions.filter { !reached.has($0) } })
            do {
                return try await withTimeout(pause, clock: clock, error: Unheard()) { [reached] in
                    try await reached.wait { reached in positions.allSatisfy(reached.has) ? () : nil }
                }
            } catch is Unheard {
                pause = min(pause * 2, Self.pauses.last)
            }
        }
    }

    /// Whether a token is one of the log that exists now.
    private func belongs(_ token: WriteToken) async throws -> Bool {
        guard let epoch = token.epoch else { return true }
        let current = try await log.epoch()
        reached.update { reached in
            // Positions without a number may be those of an earlier log.
            if reached.epoch != current { reached.commands = [:] }
            reached.epoch = current
        }
        return epoch == current
    }

    /// Notes the positions that the log has handled, because the events of their commands may be older than this node.
    private func noteHandled(_ missing: [LogPosition]) async throws {
        let done = try await withThrowingTaskGroup(of: LogPosition?.self) { [log] group in
            for position in missing {
                group.addTask {
                    let handled = try await Self.handled(position, in: log)
                    guard handled >= position.sequence else { return nil }
                    return LogPosition(partition: position.partition, sequence: handled)
                }
            }
            return try await group.reduce(into: []) { done, position in position.map { done.append($0) } }
        }
        guard !done.isEmpty else { return }
        if hasCaches {
            // The events of these commands are before this one.
            let event = try await engine.backplane.publish(ClusterEvent.markerEnvelope)
            try await reached.wait { $0.events >= event ? () : nil }
        }
        for position in done { note(position) }
    }

    /// The sequence up to which the log has handled the commands of a partition.
    ///
    /// - Throws: ``Unreached`` if the log does not have the position.
    private static func handled(_ position: LogPosition, in log: LogState) async throws -> UInt64 {
        let handled = try await log.handled(in: position.partition)
        guard handled < position.sequence else { return handled }
        guard try await log.last(in: position.partition) >= position.sequence else {
            throw Unreached()
        }
        return handled
    }

    private struct Unreached: Error {}
    private struct Unheard: Error {}
}
