public import DuetHTTP
public import DuetMacros
public import FeedFeature

/// Has the server do what ``RemoveImage`` says.
@Resolvable
public struct RemoteRemoveImageHandler: CommandHandler, Sendable {
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
    public func handle(_ command: RemoveImage) async throws {
        try await client.perform(.removeImage(command), baseURL: baseURL)
    }
}
