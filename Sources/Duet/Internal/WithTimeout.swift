import Synchronization

/// Runs `operation` and cancels it when `duration` has passed.
///
/// - Throws: `error` when the time was up first, else what `operation` throws.
package func withTimeout<Value>(
    _ duration: Duration,
    clock: any Clock<Duration>,
    error: @autoclosure () -> any Error,
    operation: @Sendable @concurrent @escaping () async throws -> sending Value
) async throws -> Value {
    let result = try await withThrowingTaskGroup(of: Outcome<Value>.self) { group -> Handover<Value>? in
        group.addTask {
            .finished(Handover(try await operation()))
        }
        group.addTask {
            do {
                try await clock.sleep(for: duration)
                return .timeIsUp
            } catch {
                return .cancelled
            }
        }
        defer { group.cancelAll() }
        while let outcome = try await group.next() {
            switch outcome {
            case .finished(let value): return value
            case .timeIsUp: return nil
            // A cancelled sleep says nothing about the operation, which may yet finish what it has begun.
            case .cancelled: continue
            }
        }
        return nil
    }
    guard let value = result?.take() else { throw error() }
    return value
}

private enum Outcome<Value>: Sendable {
    case finished(Handover<Value>)
    case timeIsUp
    case cancelled
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
