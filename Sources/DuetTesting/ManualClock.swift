import Synchronization

/// A clock that stands still until a test moves it.
///
/// A test waits until the code under test sleeps, then lets the time pass:
///
/// ```swift
/// await clock.nextSleeper()
/// clock.advance(by: .seconds(2))
/// ```
public final class ManualClock: Clock, Sendable {
    /// A point in this clock's time, counted from when the clock was made.
    public struct Instant: InstantProtocol {
        /// How far the clock had been moved.
        public let offset: Duration

        /// The instant that lies `duration` later.
        public func advanced(by duration: Duration) -> Instant {
            Instant(offset: offset + duration)
        }

        /// How long it is from this instant to another.
        public func duration(to other: Instant) -> Duration {
            other.offset - offset
        }

        /// Whether one instant comes before another.
        public static func < (lhs: Instant, rhs: Instant) -> Bool {
            lhs.offset < rhs.offset
        }
    }

    private struct Sleeper {
        let deadline: Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now = Instant(offset: .zero)
        var nextID = 0
        var sleepers: [Int: Sleeper] = [:]
        /// Sleepers that no call of `nextSleeper()` has been told of yet.
        var unseen: [Int] = []
        var watchers: [CheckedContinuation<Duration, Never>] = []
    }

    private let state = Mutex(State())

    /// Makes a clock that stands at zero.
    public init() {}

    /// Where the clock stands.
    public var now: Instant { state.withLock { $0.now } }

    /// The smallest step: any duration.
    public var minimumResolution: Duration { .zero }

    /// Sleeps until the clock has been moved to `deadline`.
    ///
    /// - Throws: `CancellationError` when the task is cancelled first.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let early: Result<Void, any Error>? = state.withLock { state in
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if deadline <= state.now { return .success(()) }
                    state.sleepers[id] = Sleeper(deadline: deadline, continuation: continuation)
                    if state.watchers.isEmpty {
                        state.unseen.append(id)
                    } else {
                        state.watchers.removeFirst().resume(returning: state.now.duration(to: deadline))
                    }
                    return nil
                }
                if let early { continuation.resume(with: early) }
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                state.unseen.removeAll { $0 == id }
                return state.sleepers.removeValue(forKey: id)
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Waits until a task sleeps that this method has not yet told of, and says how long it means to sleep.
    @discardableResult
    public func nextSleeper() async -> Duration {
        await withCheckedContinuation { continuation in
            let sleeping: Duration? = state.withLock { state in
                guard !state.unseen.isEmpty, let sleeper = state.sleepers[state.unseen.removeFirst()] else {
                    state.watchers.append(continuation)
                    return nil
                }
                return state.now.duration(to: sleeper.deadline)
            }
            if let sleeping { continuation.resume(returning: sleeping) }
        }
    }

    /// Moves the clock forward in one step and wakes those whose time has come, the earliest first.
    ///
    /// One who sleeps again when woken counts from where the clock stands then.
    public func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let due = state.sleepers.filter { $0.value.deadline <= state.now }
            for id in due.keys { state.sleepers[id] = nil }
            state.unseen.removeAll { due.keys.contains($0) }
            // Of those with one deadline, the first to sleep is the first to wake.
            return due.sorted { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }.map(\.value)
        }
        for sleeper in due { sleeper.continuation.resume() }
    }
}
