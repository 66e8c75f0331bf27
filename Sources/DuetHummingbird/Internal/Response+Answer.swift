import DuetHTTP
import Foundation
import HTTPTypes
import Hummingbird

extension Response {
    /// A response as it is sent, without its content for `HEAD`.
    init(_ answer: HTTPAnswer, to method: HTTPRequest.Method) {
        var headers = answer.headers
        if let content = answer.body {
            headers[.contentLength] = String(content.count)
            let body = method == .head ? ResponseBody() : ResponseBody(byteBuffer: ByteBuffer(bytes: content))
            self.init(status: answer.status, headers: headers, body: body)
        } else {
            self.init(status: answer.status, headers: headers)
            // These statuses never have content and thus no length (RFC 9110, section 8.6).
            if answer.status == .noContent || answer.status == .notModified { self.headers[.contentLength] = nil }
        }
    }
}

extension HTTPAnswer {
    /// The response to a query with its entity tag, or 304 if the client already has it (RFC 9110, section 15.4.5).
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
