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
/// position: a node does not wait for one that the log does not have.
public final class WriteToken: Sendable {
    /// The token of the current task.
    @TaskLocal static var current: WriteToken?

    private let positions: Mutex<[Int: UInt64]>

    /// Creates a token without positions.
    public init() {
        positions = Mutex([:])
    }

    /// Creates a token from its text, or nil for other text.
    public convenience init?(text: String) {
        self.init()
        guard text.utf8.count <= 4_096 else { return nil }
        for part in text.utf8.split(separator: UInt8(ascii: ".")) {
            let numbers = part.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
            guard numbers.count == 2, let partition = Int(Substring(numbers[0])), partition >= 0,
                let sequence = UInt64(Substring(numbers[1]))
            else { return nil }
            note(LogPosition(partition: partition, sequence: sequence))
        }
    }

    /// The positions as digits, hyphens and dots; empty if there are none.
    public var text: String {
        all.map { "\($0.partition)-\($0.sequence)" }.joined(separator: ".")
    }

    var all: [LogPosition] {
        positions.withLock { positions in
            positions.sorted { $0.key < $1.key }.map { LogPosition(partition: $0.key, sequence: $0.value) }
        }
    }

    func note(_ position: LogPosition) {
        positions.withLock { $0[position.partition] = max($0[position.partition] ?? 0, position.sequence) }
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
