public import HTTPTypes
import Synchronization

/// One of several attempts to get a response.
public struct HTTPAttempt: Sendable {
    /// How an attempt failed.
    public enum Failure: Sendable {
        /// A response whose status may be temporary, or the last response.
        case status(HTTPResponse.Status)

        /// No complete response.
        case error(HTTPClientError)
    }

    /// How the attempt failed.
    public let failure: Failure

    /// The delay before the next attempt; nil for the last.
    public let delay: Duration?

    package init(failure: Failure, delay: Duration?) {
        self.failure = failure
        self.delay = delay
    }
}

extension HTTPAttempt {
    /// ``HTTPClientError/isUnsent`` of this attempt.
    var isUnsent: Bool {
        if case .error(let error) = failure { error.isUnsent } else { false }
    }

    /// ``HTTPClientError/afterSending`` of this attempt.
    var afterSending: HTTPAttempt {
        guard case .error(let error) = failure else { return self }
        return HTTPAttempt(failure: .error(error.afterSending), delay: delay)
    }
}

extension HTTPAttempt: CustomStringConvertible {
    /// How the attempt failed, in one line.
    public var description: String {
        switch failure {
        case .status(let status): "status \(status.code)"
        case .error(let error): "\(error)"
        }
    }
}

/// A log of the attempts of a message's request, for the error of a response that is not a success.
final class AttemptLog: Sendable {
    private let log = Mutex<[HTTPAttempt]>([])

    var attempts: [HTTPAttempt] { log.withLock { $0 } }

    func note(_ attempts: [HTTPAttempt]) {
        log.withLock { $0 = attempts }
    }
}
