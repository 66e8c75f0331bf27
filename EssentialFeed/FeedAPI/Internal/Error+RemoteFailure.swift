import DuetHTTP
import FeedFeature

extension Error {
    /// The error of an exchange over HTTP in the domain's words.
    ///
    /// What the server says in the domain's words already stays, and so do a cancellation and a fault of this program.
    var ofTheDomain: any Error {
        switch self {
        case is CancellationError, is any HTTPProblem, is HTTPMessageError, is InvalidHTTPAPI: self
        case let failure as HTTPFailure: RemoteFailure.invalidData("\(failure)")
        default: RemoteFailure.connectivity("\(self)")
        }
    }
}
