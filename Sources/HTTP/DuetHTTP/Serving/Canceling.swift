import Duet
import DuetContext

extension ServedRequest {
    /// Runs `operation`, and cancels it when its time is up or the client disconnects.
    ///
    /// If the operation completes nevertheless, its value is returned. Nothing continues after this function returns.
    ///
    /// - Throws: The error of `operation`, or a ``ServedResponse`` with 504 if the time was up, and with 503 if the
    ///   operation was canceled for another reason.
    func canceling<Value: Sendable>(
        at deadline: Deadline?,
        clock: any Clock<Duration>,
        operation: @escaping @Sendable @concurrent () async throws -> Value
    ) async throws -> Value {
        let connection = connection
        let remaining = deadline?.remaining
        if let remaining, remaining <= .zero { throw ServedResponse.timedOut }
        var action: Int?
        defer { if let action { connection?.forget(action) } }
        let result: Result<Value, ServedResponse> = try await withTimeout(
            remaining,
            clock: clock,
            error: ServedResponse.timedOut,
            onStart: { cancel in action = connection?.whenGone(cancel) },
            operation: {
                do {
                    return .success(try await operation())
                } catch let refusal as ServedResponse {
                    return .failure(refusal)
                } catch {
                    if let deadline, deadline.remaining <= .zero {
                        if !(error is CancellationError) {
                            log(HTTPServiceEvent("A message failed after its time was up", error: error))
                        }
                        return .failure(.timedOut)
                    }
                    // A handler that throws this without having been canceled is at fault.
                    guard error is CancellationError, Task.isCancelled else { throw error }
                    return .failure(.canceled)
                }
            }
        )
        return try result.get()
    }
}
