import Logging

/// Receives a failure that is not shown to the user: the failed operation and the error.
public typealias FailureReport = @Sendable (_ what: String, _ error: any Error) -> Void

/// Returns the result of `work`, or nil after a failure, which only `report` receives.
@discardableResult
func reporting<Value>(to report: FailureReport, _ what: String, work: () async throws -> Value) async -> Value? {
    do {
        return try await work()
    } catch {
        report(what, error)
        return nil
    }
}

extension Logger {
    var report: FailureReport {
        { what, error in warning("\(what): \(error)") }
    }
}
