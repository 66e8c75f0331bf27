import Synchronization

/// Lets only so many tasks be at something at a time, in the order in which they came, and only so many wait.
final class Permits: Sendable {
    private let line: Mutex<PermitLine<CheckedContinuation<Void, any Error>>>
    private let maximumWaiting: Int

    /// How many nobody has.
    var free: Int { line.withLock { $0.free } }

    /// How many tasks wait.
    var waiting: Int { line.withLock { $0.count } }

    init(_ permits: Int, waiting: Int) {
        maximumWaiting = waiting
        line = Mutex(PermitLine(permits: permits))
    }

    /// Waits for a permit; `giveBack()` must follow.
    ///
    /// - Throws: `error` when as many wait as may; `CancellationError` when the task is cancelled while it waits. There is no
    ///   permit to give back then.
    func take(orThrow error: @autoclosure () -> any Error) async throws {
        guard !line.withLock({ $0.takePermit() }) else { return }
        let id = line.withLock { $0.newID() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let early: Result<Void, any Error>? = line.withLock { line in
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if line.takePermit() { return .success(()) }
                    guard line.count < maximumWaiting else { return .failure(error()) }
                    line.join(id, continuation)
                    return nil
                }
                if let early { continuation.resume(with: early) }
            }
        } onCancel: {
            line.withLock { $0.leave(id) }?.resume(throwing: CancellationError())
        }
    }

    func giveBack() {
        line.withLock { $0.giveBack() }?.resume()
    }
}
