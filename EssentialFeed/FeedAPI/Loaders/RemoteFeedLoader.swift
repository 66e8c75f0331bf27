public import DuetHTTP
public import FeedFeature

/// Loads a page of the feed from the server.
public struct RemoteFeedLoader: FeedLoader {
    private let baseURL: BaseURL
    private let client: any HTTPClient
    private let after: FeedImage.ID?
    private let limit: Int

    /// Loads the first page, or the one after an image, of at most `limit` images (1…100).
    public init(baseURL: BaseURL, client: any HTTPClient, after: FeedImage.ID? = nil, limit: Int = 10) {
        self.baseURL = baseURL
        self.client = client
        self.after = after
        self.limit = limit
    }

    /// Asks the server once.
    ///
    /// - Throws: ``RemoteFailure``; `CancellationError`.
    public func load() async throws -> FeedPage {
        let (request, body) = try FeedEndpoint.feed(after: after, limit: limit).request(baseURL: baseURL)
        let (response, data) = try await client.answer(to: request, body: body)
        return FeedPage(images: try FeedItemsMapper.map(data, from: response), source: .remote)
    }
}
