import Duet
import DuetHTTP
import FeedFeature
import HTTPTypes

extension Error {
    /// Returns the domain's error for this error of an HTTP exchange.
    ///
    /// A problem that the server reports in the domain's terms is unchanged, and so are a cancellation and a fault of
    /// this program.
    ///
    /// - Parameter message: The message that was sent, or nil for bytes that were loaded from a URL.
    func inDomainTerms(for message: Any? = nil) -> any Error {
        switch self {
        case is CancellationError, is any HTTPProblem, is HTTPMessageError, is InvalidHTTPAPI:
            self
        case let failure as HTTPFailure:
            switch failure.response.status {
            case .unauthorized where message is any Command: AccessDenied.unknownSender
            case .forbidden where message is any Command: AccessDenied.notPermitted
            default: RemoteFailure.invalidData("\(failure)")
            }
        default:
            RemoteFailure.connectivity("\(self)")
        }
    }

    /// Returns this domain error as a loader reports it, which knows no problems: the cache is the next source whatever
    /// the server's objection.
    var asLoaderFailure: any Error {
        self is any HTTPProblem ? RemoteFailure.invalidData("\(self)") : self
    }
}
