extension MainActor {
    /// Waits until every task that is already enqueued on the main actor has run up to its next suspension.
    static func queueHasRun() async {
        await Task { @MainActor in }.value
    }
}
