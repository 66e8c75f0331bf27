#if NATS
    import DuetCluster
    import DuetClusterEngine
    import Synchronization

    /// Tasks that wait for values by number, each until a deadline.
    final class Waiters<Value: Sendable>: Sendable {
        private struct Waiter {
            let continuation: CheckedContinuation<Value, any Error>
            let deadline: ContinuousClock.Instant
        }

        private struct State {
            var waiting: [UInt64: Waiter] = [:]
            var isSweeping = false
        }

        private let state = Mutex(State())
        private let clock = ContinuousClock()

        /// Waits for a value that another task or thread gives.
        ///
        /// - Parameter start: Called with the number of the waiter when it can receive its value.
        /// - Throws: ``RequestFailure/timedOut``; the error that was given; the error of `start`; `CancellationError`.
        func value(within limit: Duration, _ start: (UInt64) throws -> Void) async throws -> Value {
            // A subject contains it, which nobody can guess before the receiver of the request sees it.
            let number = UInt64.random(in: .min ... .max)
            let deadline = clock.now.advanced(by: limit)
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    let isFirst = state.withLock { state in
                        state.waiting[number] = Waiter(continuation: continuation, deadline: deadline)
                        defer { state.isSweeping = true }
                        return !state.isSweeping
                    }
                    if isFirst { sweep() }
                    if Task.isCancelled { return resume(number, with: .failure(CancellationError())) }
                    do { try start(number) } catch { resume(number, with: .failure(error)) }
                }
            } onCancel: {
                resume(number, with: .failure(CancellationError()))
            }
        }

        /// Gives a waiter its value, unless it waits no longer.
        func resume(_ number: UInt64, with result: Result<Value, any Error>) {
            state.withLock { $0.waiting.removeValue(forKey: number) }?.continuation.resume(with: result)
        }

        func resumeAll(with result: Result<Value, any Error>) {
            let all = state.withLock { state in
                defer { state.waiting = [:] }
                return state.waiting
            }
            for waiter in all.values { waiter.continuation.resume(with: result) }
        }

        /// Looks at all deadlines every ten milliseconds while tasks wait: a timer for each request would cost more.
        private func sweep() {
            Task { [self] in
                repeat { try? await clock.sleep(for: .milliseconds(10)) } while !removeExpired()
            }
        }

        /// Returns whether nothing waits.
        private func removeExpired() -> Bool {
            let now = clock.now
            let (expired, isEmpty) = state.withLock { state in
                let expired = state.waiting.filter { $0.value.deadline <= now }
                for number in expired.keys { state.waiting[number] = nil }
                state.isSweeping = !state.waiting.isEmpty
                return (expired, state.waiting.isEmpty)
            }
            for waiter in expired.values { waiter.continuation.resume(throwing: RequestFailure.timedOut) }
            return isEmpty
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
