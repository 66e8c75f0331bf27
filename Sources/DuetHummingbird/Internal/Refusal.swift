import DuetHTTP
import Foundation
import HTTPTypes
import Hummingbird

/// The reason why a request is not handled, as a response.
struct Refusal: Error {
    let answer: HTTPAnswer

    init(_ answer: HTTPAnswer) {
        self.answer = answer
    }

    init(_ status: HTTPResponse.Status, _ detail: String, headers: HTTPFields = [:]) {
        answer = HTTPAnswer(status, detail, headers: headers)
    }

    func response(to method: HTTPRequest.Method) -> Response {
        Response(answer, to: method)
    }
}

extension Response {
    /// Converts an answer to a response, without its content for `HEAD`.
    init(_ answer: HTTPAnswer, to method: HTTPRequest.Method) {
        var headers = answer.headers
        if let content = answer.body {
            headers[.contentLength] = String(content.count)
            let body = method == .head ? ResponseBody() : ResponseBody(byteBuffer: ByteBuffer(bytes: content))
            self.init(status: answer.status, headers: headers, body: body)
        } else {
            self.init(status: answer.status, headers: headers)
            // These never have content, and therefore no length (RFC 9110, section 8.6).
            if answer.status == .noContent || answer.status == .notModified { self.headers[.contentLength] = nil }
        }
    }
}

extension HTTPAnswer {
    /// Adds an entity tag, and removes the content if the sender already has it (RFC 9110, section 15.4.5).
    func tagged(for request: Request) -> HTTPAnswer {
        guard status == .ok, let body, let tag = EntityTag(of: self, content: body) else { return self }
        var answer = self
        answer.headers[.eTag] = tag.text
        guard tag.isListed(in: request.headers[values: .ifNoneMatch]) else { return answer }
        answer.status = .notModified
        answer.body = nil
        answer.headers[.contentType] = nil
        return answer
    }
}
