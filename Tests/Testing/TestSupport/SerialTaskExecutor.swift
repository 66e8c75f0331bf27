import Dispatch

/// Runs the jobs of its tasks serially, in the order in which they became ready.
///
/// An actor does not guarantee that order: a resumed task passes through the shared threads before it returns to its
/// actor.
package final class SerialTaskExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "SerialTaskExecutor")

    package init() {}

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
