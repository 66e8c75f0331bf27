import Duet
import DuetCluster
import DuetHTTP
import FeedAPI
import FeedFeature

extension ClusterOptions {
    /// The options of the feed's nodes: the errors of its API, and times for readers who wait for a page.
    ///
    /// - Throws: `InvalidHTTPAPI`, which the tests rule out.
    static func feed() throws -> ClusterOptions {
        let errors: [any DeclaredError.Type] = try HTTPAPI.feed().settings.problems
        return ClusterOptions(attemptTimeout: .seconds(2), declaredErrors: errors + [AccessDenied.self])
    }
}
