import Synchronization

/// Runs `operation` and cancels it when `duration` has passed.
///
/// An operation that then finishes all the same has done its work, and its value is returned.
///
/// - Throws: What `operation` throws; `error` when it fails after the time was up.
package func withTimeout<Value>(
    _ duration: Duration,
    clock: any Clock<Duration>,
    error: @autoclosure () -> any Error,
    operation: @Sendable @concurrent @escaping () async throws -> sending Value
) async throws -> Value {
    let result = await withTaskGroup(of: Outcome<Value>.self) { group -> Result<Handover<Value>, any Error>? in
        group.addTask {
            do {
                return .ended(.success(Handover(try await operation())))
            } catch {
                return .ended(.failure(error))
            }
        }
        group.addTask {
            do {
                try await clock.sleep(for: duration)
                return .timeIsUp
            } catch {
                return .stoppedWaiting
            }
        }
        var timeIsUp = false
        var result: Result<Handover<Value>, any Error>?
        for await outcome in group {
            switch outcome {
            case .ended(.failure) where timeIsUp: result = .failure(error())
            case .ended(let ended): result = ended
            case .timeIsUp: timeIsUp = true
            case .stoppedWaiting: continue
            }
            group.cancelAll()
        }
        return result
    }
    guard let value = try result?.get().take() else { throw error() }
    return value
}

private enum Outcome<Value>: Sendable {
    case ended(Result<Handover<Value>, any Error>)
    case timeIsUp
    /// The caller was cancelled, or the operation has ended; what comes of the operation decides.
    case stoppedWaiting
}

/// Hands one value from a task to another, which is safe for a value that is not `Sendable` because it is given away.
private final class Handover<Value>: Sendable {
    private let value: Mutex<Value?>

    init(_ value: sending Value) {
        self.value = Mutex(value)
    }

    func take() -> sending Value? {
        value.withLock { $0.take() }
    }
}
