// A task whose first steps are taken on the thread that makes it, where the system can do that: waking another thread for
// them costs a tenth of a small request.

extension Task where Failure == any Error {
    /// A task that begins on this thread.
    package static func startingHere(_ operation: @Sendable @concurrent @escaping () async throws -> Success) -> Task {
        guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else {
            return Task(operation: operation)
        }
        return .immediate(operation: operation)
    }
}

extension Task where Failure == Never {
    /// A task that begins on this thread, and does not fail.
    package static func startingHere(_ operation: @Sendable @concurrent @escaping () async -> Success) -> Task {
        guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else {
            return Task(operation: operation)
        }
        return .immediate(operation: operation)
    }
}
