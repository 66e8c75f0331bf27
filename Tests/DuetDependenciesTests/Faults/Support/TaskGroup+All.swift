extension TaskGroup {
    /// What all tasks end with, in the order in which they do; unlike `reduce`, on the caller's actor.
    mutating func all() async -> [ChildTaskResult] {
        var results: [ChildTaskResult] = []
        while let result = await next() { results.append(result) }
        return results
    }
}

extension ThrowingTaskGroup {
    /// What all tasks end with, in the order in which they do; unlike `reduce`, on the caller's actor.
    mutating func all() async throws -> [ChildTaskResult] {
        var results: [ChildTaskResult] = []
        while let result = try await next() { results.append(result) }
        return results
    }
}
