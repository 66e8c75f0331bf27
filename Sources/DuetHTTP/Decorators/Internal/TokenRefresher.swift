import ServiceContextModule
import Synchronization

/// Asks a source for tokens, and for new ones once for all who wait.
final class TokenRefresher: Sendable {
    private let source: any TokenSource
    private let line = Mutex(RefreshLine<CheckedContinuation<String?, any Error>>())

    /// How many tasks wait for a new token.
    var waiting: Int { line.withLock { $0.count } }

    init(_ source: any TokenSource) {
        self.source = source
    }

    /// The token to send.
    ///
    /// - Throws: What the source throws.
    func current() async throws -> String? {
        // What the source sends is no part of the request: neither its limits nor its name are for that.
        try await ServiceContext.withValue(nil) {
            try await HTTPRequestOptions.useNone { try await source.current() }
        }
    }

    /// A token other than `rejected`, or nil when there is none to be had.
    ///
    /// - Throws: What the source throws; `CancellationError` when the task is cancelled, which does not end the refresh.
    func token(replacing rejected: String?) async throws -> String? {
        let id = line.withLock { $0.newID() }
        let token = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isFirst: Bool? = line.withLock { line in
                    Task.isCancelled ? nil : line.join(id, continuation, replacing: rejected)
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
        return token == rejected ? nil : token
    }

    private func begin(replacing rejected: String?) {
        // Detached, because it serves others than the task that came first: its context and its options are not theirs.
        Task.detached { [self] in
            do {
                let token = try await newToken(replacing: rejected)
                let (told, isToBeginAgain) = line.withLock { $0.end(with: token) }
                for waiter in told { waiter.resume(returning: token) }
                if isToBeginAgain { begin(replacing: token) }
            } catch {
                for waiter in line.withLock({ $0.fail() }) { waiter.resume(throwing: error) }
            }
        }
    }

    private func newToken(replacing rejected: String?) async throws -> String? {
        // Who comes late with an old token finds that there is a newer one.
        if let current = try await source.current(), current != rejected { return current }
        return try await source.refresh(replacing: rejected)
    }
}
