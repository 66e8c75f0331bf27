package import DuetHTTP
package import DuetHTTPCaching
import Foundation
package import HTTPTypes

/// Removes the responses with any query, and below the path, of a resource that was deleted through a cache.
///
/// RFC 9111 (section 4.4) demands this for the deleted URI alone. The versions of an image, for example, have other
/// ones.
package struct DeletionClient: HTTPClient {
    private let cache: CachingHTTPClient

    package init(_ cache: CachingHTTPClient) {
        self.cache = cache
    }

    package func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        let response = try await cache.send(request, body: body)
        if request.method == .delete, [.successful, .redirection].contains(response.0.status.kind),
            let url = request.url
        {
            // After a failure, which the cache reports, it serves nothing that should have been removed.
            try? await cache.removeAll(under: url)
        }
        return response
    }
}
