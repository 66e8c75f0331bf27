extension Task where Failure == any Error {
    /// A task whose first steps are taken on the thread that makes it, where the system can do that.
    ///
    /// Waking another thread for them costs a tenth of a small request.
    package static func startingHere(_ operation: @Sendable @concurrent @escaping () async throws -> Success) -> Task {
        guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else {
            return Task(operation: operation)
        }
        return .immediate(operation: operation)
    }
}
