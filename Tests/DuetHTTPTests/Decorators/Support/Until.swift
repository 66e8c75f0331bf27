/// Waits until something is so that nobody tells of.
///
/// - Throws: `CancellationError` when the task is cancelled, as at a suite's time limit.
func until(_ isSo: () -> Bool) async throws {
    while !isSo() {
        try Task.checkCancellation()
        await Task.yield()
    }
}
