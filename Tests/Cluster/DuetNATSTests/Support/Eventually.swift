#if NATS
    import Foundation

    /// The error of something that did not happen in time.
    struct NotInTime: Error, CustomStringConvertible {
        let description: String
    }

    /// Waits for a value that can only be polled.
    func eventually<Value>(
        _ what: String,
        within limit: Duration = .seconds(20),
        _ value: () async throws -> Value?
    ) async throws -> Value {
        let end = ContinuousClock.now + limit
        while true {
            if let value = try await value() { return value }
            guard ContinuousClock.now < end else { throw NotInTime(description: "\(what): not within \(limit)") }
            try await ContinuousClock().sleep(for: .milliseconds(10))
        }
    }
#endif
