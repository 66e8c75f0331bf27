public import Duet
public import DuetHTTP
public import FeedFeature
public import Foundation

/// Has the server do what ``PublishImage`` says.
public struct RemotePublishImageHandler: CommandHandler, Sendable {
    private let baseURL: URL
    private let client: any HTTPClient

    /// Makes a handler that tells a server with a client.
    public init(baseURL: URL, client: any HTTPClient) {
        self.baseURL = baseURL
        self.client = client
    }

    /// Tells the server once; telling it again changes nothing.
    ///
    /// - Throws: ``RemoteFailure``; ``InvalidBaseURL`` when there is no such server; `CancellationError`.
    public func handle(_ command: PublishImage) async throws {
        try await client.perform(.publishImage(command), baseURL: baseURL)
    }
}
