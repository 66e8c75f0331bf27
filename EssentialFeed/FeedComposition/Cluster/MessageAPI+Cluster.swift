package import Duet
import FeedAPI
import FeedBackend
import FeedFeature

extension MessageAPI {
    /// The messages of the feed on a cluster, whose nodes also ask for the holder of a token.
    ///
    /// - Parameter closedComments: Whether posting a comment requires a permission.
    package static func cluster(closedComments: Bool = false) -> MessageAPI {
        MessageAPI("feed") {
            MessageAPI.feed(closedComments: closedComments)
            LoadTokenHolder.authorized(.nodes).not(over: .http)
        }
    }
}
