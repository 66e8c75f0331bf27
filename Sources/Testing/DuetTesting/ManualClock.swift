public import Foundation
import Synchronization

/// A clock that advances only when a test advances it.
///
/// A test waits until the code under test sleeps, and then advances the clock:
///
/// ```swift
/// await clock.nextSleeper()
/// clock.advance(by: .seconds(10))
/// ```
///
/// Its ``date`` advances with it, for code that also takes the current date:
///
/// ```swift
/// let dispatcher = try spy.caching(in: .memory(limit: .entries(10)), now: { clock.date }, clock: clock) {
///     Cache(ListNotes.self, .maxAge(.minutes(5)).hardTimeout(.seconds(10)))
///     Invalidate(ListNotes.self, after: AddNote.self)
/// }
/// ```
public final class ManualClock: Clock, Sendable {
    /// A point in the time of this clock, relative to its creation.
    public struct Instant: InstantProtocol {
        /// The total duration by which the clock had advanced.
        package let offset: Duration

        /// Returns the instant after a duration.
        public func advanced(by duration: Duration) -> Instant {
            Instant(offset: offset + duration)
        }

        /// Returns the duration from this instant to another.
        public func duration(to other: Instant) -> Duration {
            other.offset - offset
        }

        /// Returns whether one instant is before another.
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
        /// Sleepers that no call of `nextSleeper()` has reported yet.
        var unseen: [Int] = []
        var watchers: [(id: Int, continuation: CheckedContinuation<Duration, Never>)] = []
    }

    private let start: Date
    private let state = Mutex(State())

    /// Creates a clock at zero.
    ///
    /// - Parameter start: The date at zero; by default, the beginning of 2001 in UTC.
    public init(startingAt start: Date = Date(timeIntervalSinceReferenceDate: 0)) {
        self.start = start
    }

    /// The current instant.
    public var now: Instant { state.withLock { $0.now } }

    /// The current date, which is the date of the start until the clock advances.
    public var date: Date { start + now.offset / .seconds(1) }

    /// The minimum resolution, which is zero because the clock can advance by any duration.
    public var minimumResolution: Duration { .zero }

    /// Sleeps until the clock has advanced to `deadline`.
    ///
    /// - Throws: `CancellationError` if the task is canceled first.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        let id = newID()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                var watcher: (continuation: CheckedContinuation<Duration, Never>, remaining: Duration)?
                let early: Result<Void, any Error>? = state.withLock { state in
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if deadline <= state.now { return .success(()) }
                    state.sleepers[id] = Sleeper(deadline: deadline, continuation: continuation)
                    if state.watchers.isEmpty {
                        state.unseen.append(id)
                    } else {
                        watcher = (state.watchers.removeFirst().continuation, state.now.duration(to: deadline))
                    }
                    return nil
                }
                if let watcher { watcher.continuation.resume(returning: watcher.remaining) }
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

    /// Waits for the next task that sleeps on this clock, and returns the time until its deadline.
    ///
    /// Returns zero when the calling task is canceled, as at the time limit of a test.
    @discardableResult
    public func nextSleeper() async -> Duration {
        let id = newID()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let sleeping: Duration? = state.withLock { state in
                    if Task.isCancelled { return .zero }
                    guard !state.unseen.isEmpty, let sleeper = state.sleepers[state.unseen.removeFirst()] else {
                        state.watchers.append((id, continuation))
                        return nil
                    }
                    return state.now.duration(to: sleeper.deadline)
                }
                if let sleeping { continuation.resume(returning: sleeping) }
            }
        } onCancel: {
            let watcher = state.withLock { state in
                state.watchers.firstIndex { $0.id == id }.map { state.watchers.remove(at: $0) }
            }
            watcher?.continuation.resume(returning: .zero)
        }
    }

    private func newID() -> Int {
        state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
    }

    /// Advances the clock in one step, and wakes the tasks whose deadlines have passed, the earliest first.
    ///
    /// A task that then sleeps again measures from the new current instant.
    public func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let due = state.sleepers.filter { $0.value.deadline <= state.now }
            for id in due.keys { state.sleepers[id] = nil }
            state.unseen.removeAll { due.keys.contains($0) }
            // Tasks with the same deadline wake in the order in which they began to sleep.
            return due.sorted { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }.map(\.value)
        }
        for sleeper in due { sleeper.continuation.resume() }
    }
}
