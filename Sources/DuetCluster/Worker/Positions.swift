import Duet
import DuetContext

/// The positions that this node has reached, including the invalidations of the commands before them.
final class Positions: Sendable {
    private struct State: Sendable {
        var commands: [Int: UInt64] = [:]
        var events: UInt64 = 0

        func has(_ position: LogPosition) -> Bool { commands[position.partition] ?? 0 >= position.sequence }
    }

    /// The time that a read of a cached value waits, unless it has an earlier deadline.
    private static let limit: Duration = .seconds(5)

    private let engine: any ClusterEngine
    private let hasCaches: Bool
    private let reached = Monitor(State())

    /// - Parameter hasCaches: Whether this node has values that an event can make stale.
    init(_ engine: any ClusterEngine, hasCaches: Bool) {
        self.engine = engine
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

    /// - Throws: ``ClusterError/unreadable(message:reason:)`` if the log does not have the partitions of all positions.
    func check(_ positions: [LogPosition], of message: String) throws {
        guard positions.contains(where: { $0.partition >= engine.commands.partitionCount }) else { return }
        let reason = "its write token has a partition that the log does not have"
        throw ClusterError.unreadable(message: message, reason: reason)
    }

    /// Waits until the caches of this node have carried out the commands of the current write token.
    ///
    /// - Throws: ``ClusterError/behind(message:)``; an error of the log that another attempt would not end.
    func wait(for query: String, _ clock: any Clock<Duration>) async throws {
        guard let positions = WriteToken.current?.all, !positions.isEmpty else { return }
        try check(positions, of: query)
        let limit = min(Deadline.current?.remaining ?? Self.limit, Self.limit)
        guard try await wait(for: positions, within: limit, clock) else { throw ClusterError.behind(message: query) }
    }

    /// Returns whether this node has reached all positions, after waiting for them.
    ///
    /// It does not wait for positions that the log does not have, which anyone may have made up.
    ///
    /// - Throws: An error of the log that another attempt would not end.
    func wait(for positions: [LogPosition], within limit: Duration, _ clock: any Clock<Duration>) async throws -> Bool {
        let missing = reached.read { reached in positions.filter { !reached.has($0) } }
        guard !missing.isEmpty else { return true }
        do {
            return try await withTimeout(limit, clock: clock, error: Unreached()) { [self] in
                try await noteHandled(missing)
                return try await reached.wait { reached in missing.allSatisfy(reached.has) ? true : nil }
            }
        } catch is Unreached {
            return false
        } catch let error as TransportError where error.isTemporary {
            return false
        }
    }

    /// Notes the positions that the log has handled, because the events of their commands may be older than this node.
    private func noteHandled(_ missing: [LogPosition]) async throws {
        let done = try await withThrowingTaskGroup(of: LogPosition?.self) { [log = engine.commands] group in
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
    private static func handled(_ position: LogPosition, in log: any CommandLog) async throws -> UInt64 {
        let handled = try await log.handledPosition(in: position.partition).sequence
        guard handled < position.sequence else { return handled }
        guard try await log.lastPosition(in: position.partition).sequence >= position.sequence else {
            throw Unreached()
        }
        return handled
    }

    private struct Unreached: Error {}
}
