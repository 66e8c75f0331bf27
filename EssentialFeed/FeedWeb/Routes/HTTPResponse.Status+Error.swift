import FeedFeature
import Hummingbird

extension HTTPResponse.Status {
    /// The status that says whose fault an error is: the server's behind this one, or this one's own.
    init(for error: any Error) {
        self = error is RemoteFailure ? .badGateway : .internalServerError
    }
}
