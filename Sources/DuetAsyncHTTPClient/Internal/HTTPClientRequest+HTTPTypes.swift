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
        try self.init(request, sendingBody: body?.isEmpty == false)
        self.body = body.map { .bytes(ByteBuffer(bytes: $0)) }
    }

    /// A request whose body is sent as it comes: by its size if that is known, and in chunks if not.
    init(_ request: HTTPRequest, stream body: HTTPBody?) throws {
        try self.init(request, sendingBody: body.map { $0.size != 0 } ?? false)
        self.body = body.map { body in
            .stream(body.map { ByteBuffer(bytes: $0) }, length: body.size.map { .known($0) } ?? .unknown)
        }
    }

    private init(_ request: HTTPRequest, sendingBody: Bool) throws {
        self.init(url: try request.checkedURL(sendingBody: sendingBody).absoluteString)
        method = HTTPMethod(rawValue: request.method.rawValue)
        for field in request.headerFields where field.name.canonicalName != "host" {
            headers.add(name: field.name.rawName, value: field.value)
        }
        // Without the field, a server may take any coding for welcome, RFC 9110, section 12.5.3.
        if request.headerFields[.acceptEncoding] == nil { headers.add(name: "Accept-Encoding", value: "identity") }
    }
}
