import FeedFeature
import Hummingbird

extension HTTPResponse.Status {
    /// The status that says whose fault an error is: the reader's, the server's behind this one, or this one's own.
    init(for error: any Error) {
        self =
            switch error {
            case is ImageNotFound: .notFound
            case is RemoteFailure: .badGateway
            default: .internalServerError
            }
    }
}
