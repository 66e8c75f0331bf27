extension HTTPRequestOptions {
    /// The smaller of what the request asks for and what the adapter reads at most.
    package func bodyLimit(atMost limit: Int) -> Int {
        min(limit, maximumBodySize ?? limit)
    }
}
