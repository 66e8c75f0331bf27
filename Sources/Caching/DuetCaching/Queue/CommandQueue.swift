public import Duet
public import Foundation
import Synchronization

/// Keeps commands until they have been sent, so that they can be dispatched without a connection.
///
/// ```swift
/// let queue = CommandQueue(in: store)
/// let queueing = try server.queueing(in: queue) {
///     Enqueue(PostComment.self, version: 1, inOrderOf: \.imageID)
/// }
/// ```
///
/// The dispatch of a command with an ``Enqueue`` rule returns when the command is in the store. The queue then sends it
/// in the background, at least once and always with the same idempotency key, so the server must carry out a key once.
/// See <doc:QueuedCommands> for relaunches, several processes and accounts.
public final class CommandQueue: Sendable {
    let store: any CommandStore
    let delays: RetryPolicy
    let isTemporary: @Sendable (any Error) -> Bool
    let onStoreError: @Sendable (CommandStoreFailure) -> Void
    let now: @Sendable () -> Date
    let clock: any Clock<Duration>
    let random: @Sendable () -> Double
    let makeID: @Sendable () -> UUID
    /// Whether the queue sends, if no other one does.
    let maySend: Bool
    /// The time since the queue was created, on its clock, which does not jump.
    let time: @Sendable () -> Duration
    let state: Mutex<State>
    /// Whether a task uses the store and the list of commands together.
    let access = Monitor(false)

    /// Creates a queue, which sends nothing until a dispatcher uses it.
    ///
    /// - Parameters:
    ///   - store: Keeps the commands.
    ///   - concurrentSends: The number of commands with different keys that are sent at a time, at least 1.
    ///   - backoff: The maximum pause after a temporary error; the pause is random, from half of this to this.
    ///   - isTemporary: Whether a command is sent again after an error. Otherwise the command has failed. By default,
    ///     this is so for ``/Duet/TemporaryError``, such as a missing connection. Cancellation and a missing sign-in
    ///     (``/Duet/TemporaryError/needsSignIn``) are no failures.
    ///   - onStoreError: Receives each failure of the store that no function throws, for a log.
    ///   - now: Returns the current date.
    ///   - clock: Measures the pauses.
    ///   - random: Returns a number from 0 to 1, for the pauses.
    ///   - makeID: Returns the identifier of a new command.
    ///   - isSender: Whether the queue sends when no other queue of the store does. Pass `false` in a program that only
    ///     lists commands, for example.
    public init(
        in store: any CommandStore,
        concurrentSends: Int = 4,
        backoff: RetryPolicy.Backoff = .exponential(initial: .seconds(1), maximum: .minutes(5)),
        isTemporary: @escaping @Sendable (any Error) -> Bool = { ($0 as? any TemporaryError)?.isTemporary ?? false },
        onStoreError: @escaping @Sendable (CommandStoreFailure) -> Void = { _ in },
        now: @escaping @Sendable () -> Date = { Date() },
        clock: any Clock<Duration> = ContinuousClock(),
        random: @escaping @Sendable () -> Double = { Double.random(in: 0...1) },
        makeID: @escaping @Sendable () -> UUID = { UUID() },
        isSender: Bool = true
    ) {
        self.store = store
        delays = RetryPolicy(maximumAttempts: .max, backoff: backoff)
        self.isTemporary = isTemporary
        self.onStoreError = onStoreError
        self.now = now
        self.clock = clock
        self.random = random
        self.makeID = makeID
        maySend = isSender
        time = clock.stopwatch()
        state = Mutex(State(list: QueueState(limit: concurrentSends)))
    }

    deinit {
        for subscriber in state.withLock(\.subscribers).values { subscriber.finish() }
    }
}

// MARK: Observing

extension CommandQueue {
    /// The unsent and the failed commands, in dispatch order.
    ///
    /// The list is empty until a dispatcher uses the queue and the store was read.
    public var commands: [QueuedCommand] { state.withLock(\.self).commands }

    /// Waits until the commands of an earlier launch are in the list.
    ///
    /// Returns at once if no dispatcher uses the queue. While the store cannot be read, the queue tries again.
    public func waitUntilLoaded() async {
        for task in state.withLock(\.loading) { await task.value }
    }

    /// Waits until the queue has done for now what it can.
    ///
    /// Each command was then sent, has failed, or waits: for the end of a pause after an error, for somebody to sign
    /// in, for an earlier command of its key, or for another queue of the store to send it. A program that sends what
    /// waits, and then ends, calls this after ``sendNow()`` and looks at ``commands``.
    ///
    /// The rules of the commands that were sent have been carried out, and the changes of those that have failed are
    /// withdrawn. Returns early in a canceled task, and at once if
    /// no dispatcher uses the queue. There is no limit for an attempt, so give the client a deadline.
    public func waitUntilSettled() async {
        await waitUntilLoaded()
        for await _ in changes {
            if state.withLock(\.isSettled) { return }
        }
    }

    /// The lists of commands, first the current one, then one for each change.
    ///
    /// The first list arrives when a dispatcher uses the queue and the store was read, so an empty one means that
    /// nothing waits. A slow reader skips to the newest list.
    public var states: AsyncStream<[QueuedCommand]> {
        let changes = changes
        let last = Mutex<[QueuedCommand]?>(nil)
        // The reader makes the list, so that it takes no time while nobody reads.
        return AsyncStream { [weak self] in
            for await _ in changes {
                guard let commands = self?.state.withLock({ $0.isLoaded ? $0 : nil })?.commands,
                    last.withLock({ $0 != commands })
                else { continue }
                last.withLock { $0 = commands }
                return commands
            }
            return nil
        }
    }

    /// An element at once, and one after each change.
    private var changes: AsyncStream<Void> {
        let (changes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let id = state.withLock { state in
            state.lastSubscriber += 1
            state.subscribers[state.lastSubscriber] = continuation
            return state.lastSubscriber
        }
        continuation.yield()
        continuation.whenEnded { [weak self] in
            self?.state.withLock { _ = $0.subscribers.removeValue(forKey: id) }
        }
        return changes
    }
}

// MARK: Retrying and dropping

extension CommandQueue {
    /// Ends all delays, so that waiting commands are sent now: first one, and the others when the server responds.
    ///
    /// Call this when the connection is back, when the application becomes active, and when somebody has signed in.
    /// Failed commands stay failed. If another queue sends, it does this soon.
    public func sendNow() {
        update { $0.list.endDelays() }
        Task {
            do { try await requestSending() } catch {
                onStoreError(CommandStoreFailure(operation: .requesting, command: nil, underlying: error))
            }
        }
    }

    /// Sends a command now that waits for its next attempt or has failed.
    ///
    /// A failed command takes its place in the order of dispatch again, before later commands of its key. Nothing
    /// happens for an unknown identifier, and for a command that is being sent. If another queue sends, it does this
    /// soon.
    ///
    /// - Throws: The error of the store. The command has then still failed, or waits.
    public func retry(_ id: UUID) async throws {
        try await restart { $0 == id }
        update { $0.list.endDelays(of: [id]) }
        try await requestSending(of: id)
    }

    /// Sends all commands now that wait for their next attempt or have failed.
    ///
    /// - Throws: The error of the store. Some commands have then still failed, or wait.
    package func retryAll() async throws {
        try await restart { _ in true }
        update { $0.list.endDelays() }
        try await requestSending()
    }
}

/// A failure of the store behind a ``CommandQueue`` that no function throws.
public struct CommandStoreFailure: Error, CustomStringConvertible {
    package enum Operation: String, Sendable {
        /// The queue asked for the right to send, and tries again.
        case claiming
        /// The queue read the commands, and tries again.
        case reading
        /// The queue asked the one that sends to do so now.
        case requesting
        /// The queue noted an attempt.
        case updating
        /// The queue removed a command that was sent.
        case removing
    }

    package let operation: Operation

    package let command: String?

    /// The error of the store.
    public let underlying: any Error

    /// The failed operation, its consequence, and the reason.
    public var description: String {
        let command = command ?? "commands"
        return switch operation {
        case .claiming: "The right to send queued \(command) could not be claimed, and they may wait: \(underlying)"
        case .requesting: "Another program was not asked to send queued \(command) now: \(underlying)"
        case .reading: "The queued \(command) could not be read from the store, and wait: \(underlying)"
        case .updating: "An attempt of the queued \(command) was not noted in the store: \(underlying)"
        case .removing:
            "\(command) was sent but not removed from the store, and may be sent again after a restart: \(underlying)"
        }
    }
}
