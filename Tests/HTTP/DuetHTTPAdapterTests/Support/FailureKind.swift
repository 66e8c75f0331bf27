import DuetHTTP

/// The kind of a client's error, for comparison.
enum FailureKind: Hashable {
    case invalidRequest
    case connectionFailed
    case deadlineExceeded(after: Duration)
    case bodyTooLarge(limit: Int)
    case tooManyRedirects
    case redirectRefused
    case shutDown
    case other

    init(_ error: HTTPClientError) {
        self =
            switch error {
            case .invalidRequest: .invalidRequest
            case .connectionFailed: .connectionFailed
            case .deadlineExceeded(_, let deadline): .deadlineExceeded(after: deadline)
            case .bodyTooLarge(_, let limit): .bodyTooLarge(limit: limit)
            case .tooManyRedirects: .tooManyRedirects
            case .redirectRefused: .redirectRefused
            case .shutDown: .shutDown
            case .tooManyWaiting, .attemptsFailed: .other
            }
    }
}
