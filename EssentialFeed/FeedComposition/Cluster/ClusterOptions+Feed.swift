import Duet
import DuetCluster
import DuetHTTP
import FeedAPI
import FeedFeature

extension ClusterOptions {
    /// The options of the feed's nodes: the errors of its API, and times for readers who wait for a page.
    static let feed = ClusterOptions(attemptTimeout: .seconds(2), declaredErrors: HTTPSettings.feed.problems)
}
