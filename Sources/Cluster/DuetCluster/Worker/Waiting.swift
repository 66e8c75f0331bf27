import Duet
import ServiceLifecycle

/// Waits until the task is canceled, or the service group that runs it shuts down.
func waitForEnd() async {
    let end = Monitor(false)
    await withTaskCancellationOrGracefulShutdownHandler {
        await end.waitEvenIfCanceled { $0 }
    } onCancelOrGracefulShutdown: {
        end.update { $0 = true }
    }
}

/// Waits as ``waitForEnd()``, or until an operation returns a value.
///
/// - Returns: The value; nil at the end.
func waitForEnd<Value: Sendable>(or operation: @escaping @Sendable () async -> Value?) async -> Value? {
    await withTaskGroup(of: Value?.self) { group in
        group.addTask {
            await waitForEnd()
            return nil
        }
        group.addTask { await operation() }
        defer { group.cancelAll() }
        return await group.next() ?? nil
    }
}

/// Repeats an operation until the cluster can be reached.
///
/// - Returns: Nil if the task is canceled, or the service group shuts down.
/// - Throws: The first error that another attempt would not end.
func whenConnected<Value: Sendable>(
    _ clock: any Clock<Duration>,
    _ operation: @escaping @Sendable @concurrent () async throws -> Value
) async throws -> Value? {
    do {
        return try await cancelWhenGracefulShutdown {
            try await repeatingTemporaryFailures(clock, delay: { _ in .milliseconds(500) }) { try await operation() }
        }
    } catch is CancellationError {
        return nil
    }
}
