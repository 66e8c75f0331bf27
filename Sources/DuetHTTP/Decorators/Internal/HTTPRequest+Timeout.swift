import DuetContext
import HTTPTypes
import ServiceContextModule

extension HTTPRequest {
    /// Says in the request how long its sender waits for the answer: whole milliseconds, rounded up, so that a little is
    /// not nothing.
    mutating func setTimeout(_ timeLeft: Duration) {
        let (seconds, attoseconds) = max(.zero, timeLeft).components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        let fraction = (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
        headerFields[.requestTimeout] = overflow ? nil : "\(whole + fraction)"
    }

    /// Says anew how long the sender waits, if the request says so at all, because time has passed.
    mutating func renewTimeout() {
        guard headerFields.contains(.requestTimeout), let deadline = ServiceContext.current?.deadline else { return }
        setTimeout(deadline.remaining)
    }
}
