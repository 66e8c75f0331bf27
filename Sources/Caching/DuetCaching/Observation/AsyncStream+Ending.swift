extension AsyncStream.Continuation {
    /// Runs an action soon after the stream has ended, in a separate task.
    ///
    /// The runtime locks a task while the handlers of its cancellation run, and `onTermination` is one of them. A value
    /// that is yielded can resume a task, which needs the same lock. So an action at once that waits for a mutex would
    /// never end if another thread yields under that mutex.
    func whenEnded(_ action: @escaping @Sendable () -> Void) {
        onTermination = { _ in Task.detached { action() } }
    }
}
