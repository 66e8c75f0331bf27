/// The timers of the continuous clock, which almost every timeout uses.
private let timers = TimerQueue(ContinuousClock())

/// A later call of a function, which must not block others.
package enum DelayedCall: Sendable {
    case queued(Int)
    case sleeping(Task<Void, any Error>)

    package init(after delay: Duration, clock: any Clock<Duration>, _ call: @escaping @Sendable () -> Void) {
        guard clock is ContinuousClock else {
            self = .sleeping(clock.callAfter(delay, call))
            return
        }
        self = .queued(timers.schedule(after: delay, call))
    }

    package func cancel() {
        switch self {
        case .queued(let id): _ = timers.cancel(id)
        case .sleeping(let task): task.cancel()
        }
    }

    /// Cancels the call, and returns whether it was not made.
    package func cancelInTime() async -> Bool {
        switch self {
        case .queued(let id): return timers.cancel(id)
        case .sleeping(let task):
            task.cancel()
            return (try? await task.value) == nil
        }
    }
}

extension Clock where Duration == Swift.Duration {
    fileprivate func callAfter(_ delay: Duration, _ call: @escaping @Sendable () -> Void) -> Task<Void, any Error> {
        let due = now.advanced(by: delay)
        // Detached, because it must not inherit the context of its creator.
        return Task.detached {
            try await sleep(until: due, tolerance: nil)
            call()
        }
    }
}
