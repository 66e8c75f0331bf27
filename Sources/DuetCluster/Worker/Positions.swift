import Duet

/// The positions that this node has reached, including the invalidations of the commands before them.
final class Positions: Sendable {
    private let log: any CommandLog
    private let reached = Monitor<[Int: UInt64]>([:])

    init(_ log: any CommandLog) {
        self.log = log
    }

    func note(_ position: LogPosition) {
        reached.update { $0[position.partition] = max($0[position.partition] ?? 0, position.sequence) }
    }

    /// Returns whether this node has reached all positions, after waiting for them.
    ///
    /// - Throws: The error of the log.
    func wait(for positions: [LogPosition], within limit: Duration, _ clock: any Clock<Duration>) async throws -> Bool {
        let missing = positions.filter { !has($0) }
        guard !missing.isEmpty else { return true }
        do {
            return try await withTimeout(limit, clock: clock, error: Late()) { [self] in
                // The event of a command may be older than this node.
                try await withThrowingDiscardingTaskGroup { group in
                    for position in missing {
                        group.addTask { [self] in note(try await log.handledPosition(in: position.partition)) }
                    }
                }
                return try await reached.wait { reached -> Bool? in
                    missing.allSatisfy { reached[$0.partition] ?? 0 >= $0.sequence } ? true : nil
                }
            }
        } catch is Late {
            return false
        }
    }

    /// Whether the log has the partitions of all positions.
    func exist(_ positions: [LogPosition]) -> Bool { positions.allSatisfy { $0.partition < log.partitionCount } }

    private func has(_ position: LogPosition) -> Bool {
        reached.read { $0[position.partition] ?? 0 >= position.sequence }
    }

    private struct Late: Error {}
}
