import DuetCluster

extension ClusterOptions {
    /// The options of the feed's nodes: times for readers who wait for a page.
    static let feed = ClusterOptions(attemptTimeout: .seconds(2))
}
