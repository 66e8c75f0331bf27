import AsyncHTTPClient
import DuetHTTP
import Foundation
import HTTPTypes
import NIOCore
import NIOHTTP1

extension HTTPClientRequest {
    /// A request as AsyncHTTPClient takes it.
    ///
    /// A `Host` field is left out, because the authority says it. Compression is declined, because none is unpacked.
    init(_ request: HTTPRequest, body: Data?) throws {
        self.init(url: try request.checkedURL(sending: body).absoluteString)
        method = HTTPMethod(rawValue: request.method.rawValue)
        for field in request.headerFields where field.name.canonicalName != "host" {
            headers.add(name: field.name.rawName, value: field.value)
        }
        // Without the field, a server may take any coding for welcome, RFC 9110, section 12.5.3.
        if request.headerFields[.acceptEncoding] == nil { headers.add(name: "Accept-Encoding", value: "identity") }
        self.body = body.map { .bytes(ByteBuffer(bytes: $0)) }
    }
}
