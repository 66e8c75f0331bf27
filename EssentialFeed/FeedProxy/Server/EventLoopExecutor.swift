import NIOCore

/// Runs tasks on an event loop, so that what waits for nothing needs no other thread.
///
/// A task that is made on the event loop takes its first steps when ``run()`` is called, before anything else happens there.
final class EventLoopExecutor: TaskExecutor {
    private final class State {
        var jobs = CircularBuffer<UnownedJob>()
        var isRunning = false
        var isScheduled = false
    }

    private let eventLoop: any EventLoop
    private let state: NIOLoopBound<State>

    /// - Parameter eventLoop: Whose thread is the current one.
    init(_ eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
        state = NIOLoopBound(State(), eventLoop: eventLoop)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        guard eventLoop.inEventLoop else {
            return eventLoop.execute {
                self.state.value.jobs.append(job)
                self.run()
            }
        }
        let state = state.value
        state.jobs.append(job)
        guard !state.isRunning, !state.isScheduled else { return }
        state.isScheduled = true
        eventLoop.execute {
            self.state.value.isScheduled = false
            self.run()
        }
    }

    /// Runs the tasks that are ready, on the event loop; those that become ready on the way are run, too.
    func run() {
        let state = state.value
        // What a task causes while it runs waits until it is done: tasks run one after the other.
        guard !state.isRunning else { return }
        state.isRunning = true
        defer { state.isRunning = false }
        while let job = state.jobs.popFirst() {
            unsafe job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}
