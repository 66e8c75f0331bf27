import AsyncHTTPClient
import DuetHTTP
import Foundation
import HTTPTypes
import NIOCore
import NIOHTTP1

extension HTTPClientRequest {
    /// Creates the request that AsyncHTTPClient sends.
    ///
    /// A `Host` field is left out, because the authority is sent as one. Compression is declined, because nothing
    /// unpacks it. A body in pieces is sent with its size if that is known, and in chunks if not.
    init(_ request: HTTPRequest, body: HTTPBody?) throws {
        let sendsBody = body.map { $0.size != 0 } ?? false
        self.init(url: try request.checkedURL(sendingBody: sendsBody).absoluteString)
        self.body = body.map { body in
            if let whole = body.whole { return .bytes(ByteBuffer(bytes: whole)) }
            return .stream(body.map { ByteBuffer(bytes: $0) }, length: body.size.map { .known($0) } ?? .unknown)
        }
        method = HTTPMethod(rawValue: request.method.rawValue)
        for field in request.headerFields where field.name.canonicalName != "host" {
            headers.add(name: field.name.rawName, value: field.value)
        }
        // Without the field, a server may use any coding (RFC 9110, section 12.5.3).
        if request.headerFields[.acceptEncoding] == nil { headers.add(name: "Accept-Encoding", value: "identity") }
    }
}
