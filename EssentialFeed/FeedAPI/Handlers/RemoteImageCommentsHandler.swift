public import DuetHTTP
public import DuetMacros
public import FeedFeature

/// Answers ``LoadImageComments`` by asking the server.
@Resolvable
public struct RemoteImageCommentsHandler: QueryHandler, Sendable {
    private let baseURL: BaseURL
    private let client: any HTTPClient

    /// Makes a handler that asks a server with a client.
    public init(baseURL: BaseURL, client: any HTTPClient) {
        self.baseURL = baseURL
        self.client = client
    }

    /// Asks the server once.
    ///
    /// - Throws: ``RemoteFailure``; `CancellationError`.
    public func handle(_ query: LoadImageComments) async throws -> [ImageComment] {
        let (request, body) = try FeedEndpoint.comments(imageID: query.imageID).request(baseURL: baseURL)
        let (response, data) = try await client.answer(to: request, body: body)
        return try ImageCommentsMapper.map(data, from: response)
    }
}
