import DuetHTTP
import Foundation
import HTTPTypes
import Hummingbird

extension Response {
    /// An answer as it is sent; to `HEAD` the same without its content.
    init(_ answer: HTTPAnswer, to method: HTTPRequest.Method) {
        var headers = answer.headers
        if let content = answer.body {
            headers[.contentLength] = String(content.count)
            let body = method == .head ? ResponseBody() : ResponseBody(byteBuffer: ByteBuffer(bytes: content))
            self.init(status: answer.status, headers: headers, body: body)
        } else {
            self.init(status: answer.status, headers: headers)
            // These never have content, so its length is not told (RFC 9110, section 8.6).
            if answer.status == .noContent || answer.status == .notModified { self.headers[.contentLength] = nil }
        }
    }
}

extension HTTPAnswer {
    /// The answer to a query with its entity tag, or without content when the sender has it already (RFC 9110, section
    /// 15.4.5).
    func tagged(for request: Request) -> HTTPAnswer {
        guard status == .ok, let body else { return self }
        let tag = EntityTag.of(self, body)
        var answer = self
        answer.headers[.eTag] = tag
        let known = request.headers[values: .ifNoneMatch]
        guard !known.isEmpty, EntityTag.isNamed(tag, in: known) else { return answer }
        answer.status = .notModified
        answer.body = nil
        answer.headers[.contentType] = nil
        return answer
    }
}
