import DuetCluster

extension ClusterOptions {
    /// The options of the feed's nodes: times for readers who wait for a page.
    ///
    /// - Parameter address: The address of a server that has the bytes of the images.
    static func feed(at address: String? = nil) -> ClusterOptions {
        ClusterOptions(address: address, attemptTimeout: .seconds(2))
    }
}
