import Dispatch

/// Runs the jobs of its tasks one after the other, in the order in which they became ready.
///
/// An actor does not: a task that is resumed passes through the shared threads before it is back on its actor.
package final class SerialTaskExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "SerialTaskExecutor")

    package init() {}

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
