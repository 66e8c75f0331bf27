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
    func wait(for positions: [LogPosition], within limit: Duration, _ clock: any Clock<Duration>) async throws -> Bool {
        for position in positions where !has(position) {
            // The event of a command may be older than this node.
            let handled = try await log.handledPosition(in: position.partition)
            note(handled)
        }
        guard positions.contains(where: { !has($0) }) else { return true }
        do {
            return try await withTimeout(limit, clock: clock, error: Late()) { [reached] in
                try await reached.wait { reached -> Bool? in
                    positions.allSatisfy { reached[$0.partition] ?? 0 >= $0.sequence } ? true : nil
                }
            }
        } catch is Late {
            return false
        }
    }

    private func has(_ position: LogPosition) -> Bool {
        reached.read { $0[position.partition] ?? 0 >= position.sequence }
    }

    private struct Late: Error {}
}
