import DuetHTTP
import FeedFeature
import Foundation
import HTTPTypes

extension HTTPClient {
    /// The answer to a request.
    ///
    /// - Throws: `CancellationError` as it is; any other error as a ``RemoteFailure`` of the kind `connectivity`.
    func answer(to request: HTTPRequest, body: Data? = nil) async throws -> (HTTPResponse, Data) {
        do {
            return try await send(request, body: body)
        } catch let error as CancellationError {
            throw error
        } catch {
            throw RemoteFailure.connectivity("\(error)")
        }
    }

    /// Has a command done by the server, which says so with any of 200…299.
    func perform(_ endpoint: FeedEndpoint, baseURL: BaseURL) async throws {
        let (request, body) = try endpoint.request(baseURL: baseURL)
        let (response, data) = try await answer(to: request, body: body)
        try Answer.check(response, data, statuses: 200...299)
    }
}
