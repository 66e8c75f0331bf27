import Duet
import DuetContext
import HTTPTypes
import Logging
import ServiceContextModule

/// Runs `operation`, and cancels it when its time is up or its client disconnects.
///
/// If the operation completes nevertheless, its value is returned. Nothing continues after this function returns.
///
/// - Throws: The error of `operation`, or a ``Refusal`` with 504 if the time was up, and with 503 if the operation was
///   canceled for another reason.
func canceling<Value: Sendable>(
    at deadline: Deadline?,
    clock: any Clock<Duration>,
    logger: Logger,
    operation: @escaping @Sendable @concurrent () async throws -> Value
) async throws -> Value {
    let presence = ServiceContext.current?.clientPresence
    guard deadline != nil || presence != nil else { return try await operation() }
    let remaining = deadline?.remaining
    if let remaining, remaining <= .zero { throw Refusal.timeIsUp }
    var action: Int?
    defer { if let action { presence?.forget(action) } }
    let result: Result<Value, Refusal> = try await withTimeout(
        remaining,
        clock: clock,
        error: Refusal.timeIsUp,
        onStart: { cancel in action = presence?.whenGone(cancel) },
        operation: {
            do {
                return .success(try await operation())
            } catch let refusal as Refusal {
                return .failure(refusal)
            } catch {
                if let deadline, deadline.remaining <= .zero {
                    if !(error is CancellationError) {
                        let reason = "\(error)".safe()
                        logger.error("A message failed after its time was up", metadata: ["error": "\(reason)"])
                    }
                    return .failure(.timeIsUp)
                }
                // A handler that throws this without having been canceled is at fault.
                guard error is CancellationError, Task.isCancelled else { throw error }
                return .failure(.canceled)
            }
        }
    )
    return try result.get()
}

extension Refusal {
    /// For a client that may have disconnected, or when the server shuts down.
    static var canceled: Refusal {
        Refusal(.serviceUnavailable, "The request was canceled, by the server or by its client.")
    }

    fileprivate static var timeIsUp: Refusal {
        Refusal(.gatewayTimeout, "The request was not completed in time.")
    }
}
