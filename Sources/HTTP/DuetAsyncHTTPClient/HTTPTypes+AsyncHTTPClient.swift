import AsyncHTTPClient
import DuetHTTP
import Foundation
import HTTPTypes
import NIOCore
import NIOHTTP1

extension HTTPClientRequest {
    /// Creates the request that AsyncHTTPClient sends.
    ///
    /// A `Host` field is left out, because AsyncHTTPClient sends the authority as one. Compression is declined, because
    /// nothing decompresses the response. A body in pieces is sent with its size if that is known, and otherwise in
    /// chunks.
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

extension HTTPResponse {
    /// The head of a response, without fields whose name is not valid (RFC 9110, section 5.1).
    ///
    /// - Throws: ``InvalidStatus``.
    init(_ response: HTTPClientResponse) throws(InvalidStatus) {
        var fields = HTTPFields()
        for (name, value) in response.headers {
            guard let name = HTTPField.Name(name) else { continue }
            fields.append(HTTPField(name: name, value: value))
        }
        self.init(
            status: try Status(received: response.status.code, reasonPhrase: response.status.reasonPhrase),
            headerFields: fields
        )
    }
}
