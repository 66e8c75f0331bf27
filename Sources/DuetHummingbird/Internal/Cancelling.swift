import DuetContext
import HTTPTypes
import Logging
import ServiceContextModule

/// Runs `operation` and cancels it when its time is up or the client has gone.
///
/// An operation that then finishes all the same has done its work, and its value is returned. Nothing goes on
/// afterwards.
///
/// - Throws: What `operation` throws; ``Refusal`` with 504 when it fails after its time was up, and with 503 when it was
///   cancelled.
func cancelling<Value: Sendable>(
    at deadline: Deadline?,
    clock: any Clock<Duration>,
    logger: Logger,
    operation: @escaping @Sendable @concurrent () async throws -> Value
) async throws -> Value {
    let presence = ServiceContext.current?.clientPresence
    guard deadline != nil || presence != nil else { return try await operation() }
    if let deadline, deadline.remaining <= .zero { throw Refusal.timeIsUp }
    let work = Task { try await operation() }
    let alarm = deadline.map { deadline in
        Task {
            // In short naps: one that is cancelled leaves its timer behind until the time it was set to, which a
            // client chooses.
            while deadline.remaining > .zero { try await clock.sleep(for: min(deadline.remaining, .seconds(1))) }
            work.cancel()
        }
    }
    let action = presence?.whenGone { work.cancel() }
    defer {
        if let action { presence?.forget(action) }
        alarm?.cancel()
    }
    do {
        return try await withTaskCancellationHandler {
            try await work.value
        } onCancel: {
            work.cancel()
        }
    } catch let refusal as Refusal {
        throw refusal
    } catch {
        if let deadline, deadline.remaining <= .zero {
            if !(error is CancellationError) {
                logger.error("A message failed when its time was up", metadata: ["error": "\(error)"])
            }
            throw Refusal.timeIsUp
        }
        // A handler may also throw this without having been cancelled, and is at fault then.
        guard error is CancellationError, work.isCancelled else { throw error }
        throw Refusal.givenUp
    }
}

extension Refusal {
    /// To a client that may have gone, or of a server that ends.
    static var givenUp: Refusal {
        Refusal(.serviceUnavailable, "This was given up, by the server or by its client.")
    }

    fileprivate static var timeIsUp: Refusal {
        Refusal(.gatewayTimeout, "This was not done in the time that there was for it.")
    }
}
