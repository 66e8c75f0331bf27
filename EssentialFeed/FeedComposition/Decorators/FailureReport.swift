import Logging

/// Receives a failure that is not shown to the user: the failed operation and the error.
public typealias FailureReport = @Sendable (_ what: String, _ error: any Error) -> Void

/// Runs `work`, and passes its failure to `report` only.
func reporting(to report: FailureReport, _ what: String, work: () async throws -> Void) async {
    do {
        try await work()
    } catch {
        report(what, error)
    }
}

extension Logger {
    var report: FailureReport {
        { what, error in warning("\(what): \(error)") }
    }
}
