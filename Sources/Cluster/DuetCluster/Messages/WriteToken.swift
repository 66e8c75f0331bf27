import DuetClusterEngine
import Synchronization

/// The positions of a sender's commands, so that its queries are answered by nodes that have reached them.
///
/// ```swift
/// let token = WriteToken()
/// try await withWriteToken(token) {
///     try await remote.accepting.dispatch(RateTalk(id: "swift", stars: 3))
///     print(try await remote.dispatch(LoadTalk(id: "swift")))
/// }
/// ```
///
/// Keep its ``text`` in a cookie or a header to continue with another request. A text from a client may name any
/// position: a node does not wait for one that the log does not have. A token of a log that was deleted, or lost with
/// its servers, has no effect.
public final class WriteToken: Sendable {
    @TaskLocal static var current: WriteToken?

    private struct State {
        /// The number of the log; nil for the log of whoever reads the token.
        var epoch: UInt64?
        var positions: [Int: UInt64] = [:]
    }

    private let state = Mutex(State())

    /// Creates a token without positions.
    public init() {}

    /// Creates a token from its text, or nil for other text.
    public convenience init?(text: String) {
        self.init()
        guard text.utf8.count <= 4_096 else { return nil }
        for (index, part) in text.utf8.split(separator: UInt8(ascii: ".")).enumerated() {
            let numbers = part.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
            if index == 0, numbers.count == 1, let epoch = UInt64(Substring(part)) {
                state.withLock { $0.epoch = epoch }
                continue
            }
            guard numbers.count == 2, let partition = Int(Substring(numbers[0])), partition >= 0,
                let sequence = UInt64(Substring(numbers[1]))
            else { return nil }
            state.withLock { $0.positions[partition] = max($0.positions[partition] ?? 0, sequence) }
        }
        guard epoch == nil || !all.isEmpty else { return nil }
    }

    /// The log and the positions as digits, hyphens and dots; empty if there are no positions.
    public var text: String {
        let positions = all.map { "\($0.partition)-\($0.sequence)" }
        return positions.isEmpty ? "" : (epoch.map { ["\($0)"] + positions } ?? positions).joined(separator: ".")
    }

    var epoch: UInt64? { state.withLock(\.epoch) }

    var all: [LogPosition] {
        state.withLock { state in
            state.positions.sorted { $0.key < $1.key }.map { LogPosition(partition: $0.key, sequence: $0.value) }
        }
    }

    /// Notes a position, in place of those of another log.
    func note(_ position: LogPosition, epoch: UInt64) {
        state.withLock { state in
            if state.epoch != epoch { state = State(epoch: epoch) }
            state.positions[position.partition] = max(state.positions[position.partition] ?? 0, position.sequence)
        }
    }
}

/// Runs an operation whose commands are noted in a token, and whose queries see the effects of the noted commands.
///
/// A query waits on its node until the noted commands have been handled. It fails with
/// ``ClusterError/behind(message:)`` if they have not been by its deadline, and at once if the log does not have a
/// position of the token.
public func withWriteToken<Value>(_ token: WriteToken?, operation: () async throws -> Value) async rethrows -> Value {
    try await WriteToken.$current.withValue(token) { try await operation() }
}
