import Duet
import DuetContext
import ServiceContextModule
import Synchronization

/// The reason for which a load goes on without callers.
enum LoadPurpose {
    /// Its value is observed.
    case observers
    /// A later caller needs its value.
    case background
}

/// One load of a query's value, which concurrent callers share.
///
/// It runs in its own task, so that a canceled caller does not affect the others. When the last caller and the last
/// observer have left, the load is canceled, unless it continues in the background.
final class Load<Value: Sendable>: Sendable {
    private struct State {
        var result: Result<Value, any Error>?
        var waiters: [Int: CheckedContinuation<Result<Value, any Error>?, Never>] = [:]
        var lastWaiter = 0
        var subscribers: Int
        /// The reasons to go on without a subscriber.
        var keepers: Set<LoadPurpose>
        var isMarkedInvalid = false
        var tags: [Tag]
        var isOwnWrite = false
        /// Whether later callers need another load.
        var isClosed = false
        var needsHandler: Bool
        var task: Task<Void, any Error>?
        /// The highest priority of the callers that have joined.
        var priority = TaskPriority(rawValue: 0)

        /// Whether nobody needs the load anymore.
        var isAbandoned: Bool { subscribers == 0 && keepers.isEmpty && result == nil }
    }

    /// The number of seconds for which a load that goes on without subscribers is worth joining.
    private static var backgroundLimit: Double { 60 }

    /// The place of the beginning in the order in which loads of the query begin and values arrive.
    let number: Int
    /// The epoch in which the load began.
    let epoch: Epoch
    /// The versions of caches behind this one that the value must have.
    let known: [CacheVersion]
    /// Whether the value is that of a response to a command, and may be older than a later change.
    let isLate: Bool
    /// Whether the load began for a caller.
    let isRead: Bool
    private let began: Double
    private let state: Mutex<State>

    /// Creates a load, with one subscriber unless it has a purpose.
    init(
        _ number: Int,
        epoch: Epoch,
        tags: [Tag],
        known: [CacheVersion],
        isLate: Bool,
        began: Double,
        for purpose: LoadPurpose?,
        needsHandler: Bool
    ) {
        self.number = number
        self.epoch = epoch
        self.known = known
        self.isLate = isLate
        self.began = began
        isRead = purpose == nil
        state = Mutex(
            State(
                subscribers: isRead ? 1 : 0,
                keepers: purpose.map { [$0] } ?? [],
                tags: tags,
                needsHandler: needsHandler
            )
        )
    }

    /// Whether a loaded value is older than what is known about its cache.
    func isOlderThanKnown(_ version: CacheVersion?) -> Bool { known.contains { version?.isOlder(than: $0) == true } }

    /// Whether nobody needs the load anymore.
    var isAbandoned: Bool { state.withLock(\.isAbandoned) }

    /// The purpose of a load that brings a newer value to all that need this one.
    var nextPurpose: LoadPurpose {
        state.withLock { $0.subscribers > 0 || $0.keepers.contains(.background) ? .background : .observers }
    }

    /// Whether a value of the store does not suffice.
    var needsHandler: Bool { state.withLock(\.needsHandler) }

    func requireHandler() { state.withLock { $0.needsHandler = true } }

    /// The tags of rules, and in the end those of what the handler has read.
    var tags: [Tag] { state.withLock(\.tags) }

    /// The tags of a load that has ended.
    var tagsOrDoor: [Tag] {
        state.withLock { $0.result == nil ? $0.tags + [Tag(.door("a load that has not ended"))] : $0.tags }
    }

    /// Whether the load has written what it has read, so that another one would do so, too.
    var isOwnWrite: Bool { state.withLock(\.isOwnWrite) }

    func addTags(_ tags: [Tag], isOwnWrite: Bool = false) {
        state.withLock { state in
            state.tags = state.tags.union(tags)
            state.isOwnWrite = state.isOwnWrite || isOwnWrite
        }
    }

    /// Whether the value may not be kept, also if its epoch is still valid.
    var isMarkedInvalid: Bool { state.withLock(\.isMarkedInvalid) }

    func markInvalid() { state.withLock { $0.isMarkedInvalid = true } }

    /// - Parameter inNewTask: Whether the caller goes on even if the operation does not suspend.
    func start(inNewTask: Bool, _ operation: @escaping @Sendable @concurrent () async -> Void) {
        let task = inNewTask ? Task { await operation() } : Task.startingHere { await operation() }
        let (isAbandoned, priority) = state.withLock { state in
            state.task = task
            return (state.isAbandoned, state.priority)
        }
        task.raisePriority(to: priority)
        if isAbandoned { task.cancel() }
    }

    /// Ends the load.
    func finish(_ result: Result<Value, any Error>) {
        let waiters = state.withLock { state in
            defer {
                state.result = result
                state.task = nil
                state.waiters = [:]
            }
            return state.waiters
        }
        for waiter in waiters.values { waiter.resume(returning: result) }
    }

    /// Adds a subscriber, unless all have left and the load is being canceled.
    ///
    /// A load that has run without subscribers for a long time may never end. It accepts no further subscribers, and is
    /// canceled when it has none.
    ///
    /// - Returns: Whether the subscriber was added.
    func subscribe(at now: Double) -> Bool {
        let (isSubscribed, abandoned) = state.withLock { state -> (Bool, Task<Void, any Error>?) in
            if !state.keepers.isEmpty, now - began > Self.backgroundLimit {
                state.keepers = []
                state.isClosed = true
            }
            guard !state.isClosed, !state.isAbandoned else { return (false, state.isAbandoned ? state.task : nil) }
            state.subscribers += 1
            return (true, nil)
        }
        // In a separate task, because handlers of the cancellation must not run under the caller's lock.
        if let abandoned { Task { abandoned.cancel() } }
        return isSubscribed
    }

    /// Removes a subscriber, and cancels the load if it was the last one.
    func unsubscribe() {
        let task = state.withLock { state in
            state.subscribers -= 1
            return state.isAbandoned ? state.task : nil
        }
        task?.cancel()
    }

    /// Keeps the load running without subscribers.
    func keep(for purpose: LoadPurpose) { _ = state.withLock { $0.keepers.insert(purpose) } }

    /// Notes that the last observer of the value has left.
    ///
    /// - Returns: The task, if nobody needs the load anymore. The caller cancels it outside of its lock.
    func removeObservers() -> Task<Void, any Error>? {
        state.withLock { state in
            state.keepers.remove(.observers)
            return state.isAbandoned ? state.task : nil
        }
    }

    /// Gives the load at least the priority of a caller.
    func raisePriority(to priority: TaskPriority) {
        let task = state.withLock { state in
            state.priority = max(state.priority, priority)
            return state.task
        }
        task?.raisePriority(to: priority)
    }

    /// Waits for the result.
    ///
    /// - Returns: The result; nil if the task is canceled or the time is up first.
    func result(within limit: Duration? = nil, _ clock: any Clock<Duration>) async -> Result<Value, any Error>? {
        let id = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        var timer: DelayedCall?
        defer { timer?.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let early: Result<Value, any Error>?? = state.withLock { state in
                    if let result = state.result { return .some(result) }
                    // Checked under the lock: a later cancellation finds the waiter.
                    if Task.isCancelled { return .some(nil) }
                    state.waiters[id] = continuation
                    return nil
                }
                if let early { return continuation.resume(returning: early) }
                timer = limit.map { DelayedCall(after: $0, clock: clock) { self.stopWaiting(id) } }
            }
        } onCancel: {
            stopWaiting(id)
        }
    }

    private func stopWaiting(_ id: Int) {
        state.withLock { $0.waiters.removeValue(forKey: id) }?.resume(returning: nil)
    }
}

extension Task {
    /// Gives the task at least a priority, where the system supports that.
    fileprivate func raisePriority(to priority: TaskPriority) {
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) { escalatePriority(to: priority) }
    }
}
