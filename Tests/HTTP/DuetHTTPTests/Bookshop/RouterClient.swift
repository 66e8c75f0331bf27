import Duet
import DuetContext
import DuetHTTP
import Foundation
import HTTPTypes

/// Routes requests through an API to a dispatcher, as a server does.
struct RouterClient: HTTPClient {
    let api: HTTPAPI
    let dispatcher: any Dispatcher

    func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        let target = (request.path ?? "/").split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard case .found(let endpoint, let parameters) = api.route(request.method, target[0]) else {
            return (HTTPResponse(status: .notFound), HTTPBody(Data()))
        }
        let message = MessageParts(
            parameters: parameters,
            query: target.count > 1 ? String(target[1]) : nil,
            contentType: request.headerFields[.contentType],
            body: try await body?.collectToSend() ?? Data()
        )
        do {
            let answer = try await endpoint.answer(to: message, dispatcher, in: .current).response
            var fields = answer.headers
            if let tag = answer.entityTag { fields[.eTag] = "\"\(tag)\"" }
            return (HTTPResponse(status: answer.status, headerFields: fields), HTTPBody(answer.body ?? Data()))
        } catch let error as CancellationError {
            throw error
        } catch {
            return (HTTPResponse(status: .internalServerError), HTTPBody(Data()))
        }
    }
}
