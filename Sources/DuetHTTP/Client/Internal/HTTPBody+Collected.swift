package import Foundation
package import HTTPTypes

extension HTTPBody {
    /// All bytes of the answer to a request, as many as ``HTTPRequestOptions/maximumBodySize`` lets it take.
    ///
    /// - Throws: ``HTTPClientError/bodyTooLarge(url:limit:)``; what reading throws.
    package func collected(answering request: HTTPRequest) async throws -> Data {
        let limit = HTTPRequestOptions.current.maximumBodySize ?? .max
        return try await collect(
            upTo: limit,
            orThrow: HTTPClientError.bodyTooLarge(url: request.loggableURL, limit: limit)
        )
    }
}
