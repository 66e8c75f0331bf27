import HTTPTypes
import NIOHTTP1

extension HTTPResponse {
    /// An answer of the origin as it is handed on.
    init(forwarding head: HTTPResponseHead) {
        self.init(
            status: Status(code: Int(head.status.code), reasonPhrase: head.status.reasonPhrase),
            headerFields: HTTPFields(head.headers).forwarded
        )
        headerFields.appendVia(head.version)
    }
}
