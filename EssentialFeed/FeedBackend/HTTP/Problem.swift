import FeedFeature
import Foundation
import HTTPTypes
import Hummingbird

/// Why a request was not served, as the client is told (RFC 9457).
struct Problem: Error {
    let status: HTTPResponse.Status
    let detail: String
    var headers: HTTPFields = [:]

    /// The answer to a request that failed; nil when the reason is the server's own and not the client's business.
    init?(_ error: any Error) {
        switch error {
        case let problem as Problem: self = problem
        case let invalid as InvalidMessage: self.init(.badRequest, invalid.description)
        case let error as BackendError:
            switch error {
            case .imageNotFound: self.init(.notFound, error.description)
            case .imageRemoved: self.init(.gone, error.description)
            }
        default: return nil
        }
    }

    init(_ status: HTTPResponse.Status, _ detail: String, headers: HTTPFields = [:]) {
        self.status = status
        self.detail = detail
        self.headers = headers
    }

    func response(to method: HTTPRequest.Method) throws -> Response {
        var response = try Response.json(
            Body(title: status.reasonPhrase, status: status.code, detail: detail),
            status: status,
            mediaType: "application/problem+json"
        )
        response.headers.append(contentsOf: headers)
        return method == .head ? response.createHeadResponse() : response
    }

    private struct Body: Encodable {
        let title: String
        let status: Int
        let detail: String
    }
}
