import DuetHTTP
import Foundation
import HTTPTypes
import Synchronization

/// Finds out which request a query is sent as: a client that sends nothing.
final class RequestTaker: HTTPClient {
    private struct Taken: Error {}

    private let request = Mutex<HTTPRequest?>(nil)

    static func request(
        for query: some HTTPQuery,
        to server: BaseURL,
        _ settings: HTTPSettings
    ) async throws -> HTTPRequest {
        let taker = RequestTaker()
        do {
            _ = try await HTTPDispatcher(baseURL: server, client: taker, settings: settings).dispatch(query)
        } catch {
            guard let request = taker.request.withLock(\.self) else { throw error }
            return request
        }
        preconditionFailure("nothing answers")
    }

    func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        self.request.withLock { $0 = request }
        throw Taken()
    }
}
