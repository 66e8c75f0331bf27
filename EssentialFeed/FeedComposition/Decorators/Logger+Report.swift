import Logging

extension Logger {
    /// Logs a failure that is not shown.
    var report: FailureReport {
        { what, error in warning("\(what): \(error)") }
    }
}
