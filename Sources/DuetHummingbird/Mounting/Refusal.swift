import DuetHTTP
import Foundation
import HTTPTypes
import Hummingbird

/// The reason why a request is not handled, as a response.
struct Refusal: Error {
    let response: ServedResponse

    init(_ response: ServedResponse) {
        self.response = response
    }

    init(_ status: HTTPResponse.Status, _ detail: String, headers: HTTPFields = [:]) {
        response = ServedResponse(status, detail, headers: headers)
    }

    func response(to method: HTTPRequest.Method) -> Response {
        Response(response, to: method)
    }
}

extension Response {
    /// Converts the response to a message, without its content for `HEAD`.
    init(_ response: ServedResponse, to method: HTTPRequest.Method) {
        var headers = response.headers
        if let content = response.body {
            headers[.contentLength] = String(content.count)
            let body = method == .head ? ResponseBody() : ResponseBody(byteBuffer: ByteBuffer(bytes: content))
            self.init(status: response.status, headers: headers, body: body)
        } else {
            self.init(status: response.status, headers: headers)
            // These never have content, and therefore no length (RFC 9110, section 8.6).
            if response.status == .noContent || response.status == .notModified { self.headers[.contentLength] = nil }
        }
    }
}
