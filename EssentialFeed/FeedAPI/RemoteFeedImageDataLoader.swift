public import DuetHTTP
public import FeedFeature
public import Foundation
import HTTPTypes

/// Loads an image's bytes from its URL.
public struct RemoteFeedImageDataLoader: FeedImageDataLoader {
    private let client: any HTTPClient

    /// Creates a loader that sends with a client.
    public init(client: any HTTPClient) {
        self.client = client
    }

    /// Loads the bytes with one request.
    ///
    /// Caches on the way ask the server whether the image still exists, so that a removed one does not come back.
    ///
    /// - Throws: ``RemoteFailure``, also for a URL that is not http or https, or that names a user, because the server
    ///   chooses it; `CancellationError`.
    public func loadImageData(from url: URL) async throws -> Data {
        let bare: BareURL
        do {
            bare = try BareURL(url)
        } catch {
            throw RemoteFailure.invalidData("\(error.url) cannot be an image's address: \(error.reason)")
        }
        guard bare.authorization == nil else {
            throw RemoteFailure.invalidData("\(bare.loggable) cannot be an image's address: it must not name a user")
        }
        var request = HTTPRequest(method: .get, url: bare.url)
        request.headerFields[.accept] = "image/*"
        request.headerFields[.cacheControl] = "no-cache"
        let (response, data): (HTTPResponse, Data)
        do {
            (response, data) = try await client.data(for: request)
        } catch {
            throw error.inDomainTerms()
        }
        guard response.status == .ok else {
            throw RemoteFailure.invalidData(
                "its status is \(response.status.code), not 200",
                isMissing: response.status == .notFound || response.status == .gone
            )
        }
        guard !data.isEmpty else { throw RemoteFailure.invalidData("the image has no bytes") }
        return data
    }
}
