/// Waits for a condition that cannot be observed otherwise.
///
/// - Throws: `CancellationError` when the task is canceled, as at a suite's time limit.
func until(_ isSo: () -> Bool) async throws {
    while !isSo() {
        try Task.checkCancellation()
        await Task.yield()
    }
}
