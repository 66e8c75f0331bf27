#if NATS
    import Duet
    import DuetCluster
    import Synchronization

    /// Tasks that wait for values by number, each until a deadline.
    final class Waiters<Value: Sendable>: Sendable {
        private let waiting = Mutex<[UInt64: CheckedContinuation<Value, any Error>]>([:])

        /// Waits for a value that another task or thread gives.
        ///
        /// - Parameter start: Called with the number of the waiter when it can receive its value.
        /// - Throws: ``RequestFailure/timedOut``; the error that was given; the error of `start`; `CancellationError`.
        func value(within limit: Duration, _ start: (UInt64) throws -> Void) async throws -> Value {
            // A subject contains it, which nobody can guess before the receiver of the request sees it.
            let number = UInt64.random(in: .min ... .max)
            var timer: DelayedCall?
            defer { timer?.cancel() }
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    waiting.withLock { $0[number] = continuation }
                    timer = DelayedCall(after: limit, clock: ContinuousClock()) {
                        self.resume(number, with: .failure(RequestFailure.timedOut))
                    }
                    if Task.isCancelled { return resume(number, with: .failure(CancellationError())) }
                    do { try start(number) } catch { resume(number, with: .failure(error)) }
                }
            } onCancel: {
                resume(number, with: .failure(CancellationError()))
            }
        }

        /// Gives a waiter its value, unless it waits no longer.
        func resume(_ number: UInt64, with result: Result<Value, any Error>) {
            waiting.withLock { $0.removeValue(forKey: number) }?.resume(with: result)
        }

        func resumeAll(with result: Result<Value, any Error>) {
            let all = waiting.withLock { waiting in
                defer { waiting = [:] }
                return waiting
            }
            for continuation in all.values { continuation.resume(with: result) }
        }
    }

    enum RequestFailure: Error {
        case noResponders
        case timedOut
        /// The connection was lost after the request was sent.
        case lost(reason: String)
        /// There was no connection, and the request was not sent.
        case notConnected(reason: String)

        func transportError(_ operation: String, after limit: Duration) -> TransportError {
            switch self {
            case .noResponders: .noNode(route: operation)
            case .timedOut: .timedOut(route: operation, after: limit)
            case .lost(let reason), .notConnected(let reason): .connectionLost(reason: reason)
            }
        }
    }

    extension Duration {
        /// At least one, also for less than a millisecond.
        var milliseconds: Int64 { max(1, nanoseconds / 1_000_000) }

        /// At most 292 years.
        var nanoseconds: Int64 {
            let (seconds, attoseconds) = components
            let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
            let (sum, carry) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
            return overflow || carry ? (seconds < 0 ? .min : .max) : sum
        }
    }
#endif
