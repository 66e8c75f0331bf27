extension MainActor {
    /// Waits until every task that was enqueued on the main actor before has run until it had to wait.
    static func queueHasRun() async {
        await Task { @MainActor in }.value
    }
}
