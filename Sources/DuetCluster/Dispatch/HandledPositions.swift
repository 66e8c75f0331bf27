import Duet

/// The positions up to which the log has handled its commands, asked once for all senders that wait.
final class HandledPositions: Sendable {
    private let engine: any ClusterEngine
    private let requests = Monitor<[Int: Task<LogPosition, any Error>]>([:])

    init(_ engine: any ClusterEngine) {
        self.engine = engine
    }

    /// The position of a partition now, or a moment ago.
    ///
    /// - Throws: ``TransportError``.
    func position(in partition: Int) async throws -> LogPosition {
        let request = requests.update { requests in
            if let request = requests[partition] { return request }
            let request = Task { [engine] in
                defer { self.requests.update { $0[partition] = nil } }
                return try await engine.commands.handledPosition(in: partition)
            }
            requests[partition] = request
            return request
        }
        return try await request.value
    }
}
