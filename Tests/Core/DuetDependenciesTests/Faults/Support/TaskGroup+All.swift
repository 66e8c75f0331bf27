extension TaskGroup {
    /// Returns the results of all tasks in order of completion; unlike `reduce`, it stays on the caller's actor.
    mutating func all() async -> [ChildTaskResult] {
        var results: [ChildTaskResult] = []
        while let result = await next() { results.append(result) }
        return results
    }
}

extension ThrowingTaskGroup {
    /// Returns the results of all tasks in order of completion; unlike `reduce`, it stays on the caller's actor.
    mutating func all() async throws -> [ChildTaskResult] {
        var results: [ChildTaskResult] = []
        while let result = try await next() { results.append(result) }
        return results
    }
}
