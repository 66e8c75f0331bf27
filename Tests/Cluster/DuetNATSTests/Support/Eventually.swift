#if NATS
    import Foundation

    /// The error of something that did not happen before the suite's time limit.
    struct NotInTime: Error, CustomStringConvertible {
        let description: String
    }

    /// Waits for a value that can only be polled, until the suite's time limit cancels the test.
    func eventually<Value>(_ what: String, _ value: () async throws -> Value?) async throws -> Value {
        while true {
            if let value = try await value() { return value }
            do {
                try await ContinuousClock().sleep(for: .milliseconds(10))
            } catch {
                throw NotInTime(description: "\(what): not within the time limit")
            }
        }
    }
#endif
