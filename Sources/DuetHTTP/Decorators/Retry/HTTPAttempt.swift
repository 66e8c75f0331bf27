public import HTTPTypes

/// One of several attempts to get an answer.
public struct HTTPAttempt: Sendable {
    /// What an attempt ended with.
    public enum Failure: Sendable {
        /// An answer: with a status that asks to try again, or the last.
        case status(HTTPResponse.Status)

        /// No complete answer.
        case error(HTTPClientError)
    }

    /// What it ended with.
    public let failure: Failure

    /// How long was waited before the next one; nil for the last.
    public let delay: Duration?

    package init(failure: Failure, delay: Duration?) {
        self.failure = failure
        self.delay = delay
    }
}

extension HTTPAttempt {
    /// ``HTTPClientError/isUnsent``, of this one.
    var isUnsent: Bool {
        if case .error(let error) = failure { error.isUnsent } else { false }
    }

    /// ``HTTPClientError/afterSending``, of this one.
    var afterSending: HTTPAttempt {
        guard case .error(let error) = failure else { return self }
        return HTTPAttempt(failure: .error(error.afterSending), delay: delay)
    }
}

extension HTTPAttempt: CustomStringConvertible {
    /// What it ended with, in one line.
    public var description: String {
        switch failure {
        case .status(let status): "status \(status.code)"
        case .error(let error): "\(error)"
        }
    }
}
