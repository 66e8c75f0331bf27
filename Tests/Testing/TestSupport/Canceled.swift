/// Runs an operation in a task that is canceled from the start, and returns its result.
package func canceled<Value: Sendable>(
    _ operation: @Sendable @concurrent @escaping () async throws -> Value
) async -> Result<Value, any Error> {
    await withTaskGroup(of: Result<Value, any Error>.self) { group in
        group.cancelAll()
        group.addTask {
            do { return .success(try await operation()) } catch { return .failure(error) }
        }
        for await result in group { return result }
        return .failure(CancellationError())
    }
}
