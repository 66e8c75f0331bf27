import Logging
import Synchronization

/// Logs when the backend cannot be reached anymore, and when it can be reached again.
final class Outages: Sendable {
    private let isOut = Mutex(false)
    private let logger: Logger

    init(logger: Logger) {
        self.logger = logger
    }

    /// Notes a request that has failed; cancellations are no failures.
    func note(_ error: any Error) {
        guard !(error is CancellationError), !isOut.withLock({ $0.replaced(by: true) }) else { return }
        logger.warning("The backend cannot be reached", error: error)
    }

    func noteResponse() {
        guard isOut.withLock({ $0.replaced(by: false) }) else { return }
        logger.warning("The backend can be reached again")
    }
}

extension Bool {
    /// Replaces the value, and returns the former one.
    fileprivate mutating func replaced(by new: Bool) -> Bool {
        defer { self = new }
        return self
    }
}
