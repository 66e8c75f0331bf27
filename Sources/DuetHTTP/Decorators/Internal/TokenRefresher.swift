import Synchronization

/// Asks a source for new tokens, once for all who wait.
final class TokenRefresher: Sendable {
    private let source: any TokenSource
    private let line = Mutex(RefreshLine<CheckedContinuation<String?, any Error>>())

    /// How many tasks wait for a new token.
    var waiting: Int { line.withLock { $0.count } }

    init(_ source: any TokenSource) {
        self.source = source
    }

    func current() async throws -> String? {
        try await source.current()
    }

    /// A token other than `rejected`, or nil when there is none to be had.
    ///
    /// - Throws: What the source throws; `CancellationError` when the task is cancelled, which does not end the refresh.
    func token(replacing rejected: String?) async throws -> String? {
        let id = line.withLock { $0.newID() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isFirst: Bool? = line.withLock { line in
                    Task.isCancelled ? nil : line.join(id, continuation)
                }
                switch isFirst {
                case nil: continuation.resume(throwing: CancellationError())
                case true?: begin(replacing: rejected)
                case false?: break
                }
            }
        } onCancel: {
            line.withLock { $0.leave(id) }?.resume(throwing: CancellationError())
        }
    }

    private func begin(replacing rejected: String?) {
        // Detached, because it serves others than the task that came first: its context and its options are not theirs.
        Task.detached { [self] in
            let result: Result<String?, any Error>
            do {
                // Who comes late with an old token finds that there is a newer one.
                let current = try await source.current()
                let isNewer = current != nil && current != rejected
                result = .success(isNewer ? current : try await source.refresh(replacing: rejected))
            } catch {
                result = .failure(error)
            }
            for waiter in line.withLock({ $0.end() }) { waiter.resume(with: result) }
        }
    }
}
