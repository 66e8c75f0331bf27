import HTTPTypes
import NIOHTTP1

extension HTTPResponse {
    /// An answer of the origin as it is handed on.
    init(forwarding head: HTTPResponseHead) {
        self.init(
            status: Status(code: Int(head.status.code), reasonPhrase: head.status.reasonPhrase),
            headerFields: HTTPFields(head.headers).forwardedAnswer
        )
        // RFC 9110, section 8.6: where no content can follow, a length would be one of nothing.
        if status.kind == .informational || status == .noContent { headerFields[.contentLength] = nil }
        headerFields.appendVia(head.version)
    }
}
