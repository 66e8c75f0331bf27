import Synchronization

/// Where a retry notes the attempts of a message's request, for who finds that its answer is no success.
final class AttemptLog: Sendable {
    private let log = Mutex<[HTTPAttempt]>([])

    /// Those of the last request that was sent more than once; none when the last was sent once.
    var attempts: [HTTPAttempt] { log.withLock { $0 } }

    func note(_ attempts: [HTTPAttempt]) {
        log.withLock { $0 = attempts }
    }
}
