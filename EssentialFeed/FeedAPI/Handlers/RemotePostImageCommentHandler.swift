public import DuetHTTP
public import DuetMacros
public import FeedFeature

/// Has the server do what ``PostImageComment`` says.
@Resolvable
public struct RemotePostImageCommentHandler: CommandHandler, Sendable {
    private let baseURL: BaseURL
    private let client: any HTTPClient

    /// Makes a handler that tells a server with a client.
    public init(baseURL: BaseURL, client: any HTTPClient) {
        self.baseURL = baseURL
        self.client = client
    }

    /// Tells the server once; telling it again changes nothing.
    ///
    /// - Throws: ``RemoteFailure``; `CancellationError`.
    public func handle(_ command: PostImageComment) async throws {
        try await client.perform(.postComment(command), baseURL: baseURL)
    }
}
