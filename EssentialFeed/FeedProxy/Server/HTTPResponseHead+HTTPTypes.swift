import HTTPTypes
import NIOHTTP1

extension HTTPResponseHead {
    /// An answer as it is written, without framing.
    init(_ response: HTTPResponse) {
        self.init(
            version: .http1_1,
            status: HTTPResponseStatus(statusCode: response.status.code, reasonPhrase: response.status.reasonPhrase),
            headers: HTTPHeaders(response.headerFields)
        )
    }
}

extension HTTPHeaders {
    /// The fields with their names as they were written.
    init(_ fields: HTTPFields) {
        self.init(fields.map { ($0.name.rawName, $0.value) })
    }
}
