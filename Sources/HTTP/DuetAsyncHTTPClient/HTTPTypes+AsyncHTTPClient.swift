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
    /// chunks. A large whole body is sent in pieces, too: one write that cannot end would hide the response of a server
    /// that refuses the body before it has arrived.
    init(_ request: HTTPRequest, body: HTTPBody?) throws {
        let sendsBody = body.map { $0.size != 0 } ?? false
        self.init(url: try request.checkedURL(sendingBody: sendsBody).absoluteString)
        self.body = body.map { body in
            if let whole = body.whole {
                guard whole.count > WholeBodyPieces.size else { return .bytes(ByteBuffer(bytes: whole)) }
                return .stream(WholeBodyPieces(rest: whole), length: .known(Int64(whole.count)))
            }
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

private struct WholeBodyPieces: AsyncSequence, AsyncIteratorProtocol, Sendable {
    /// The largest size of a piece, in bytes.
    static let size = 65_536

    var rest: Data

    func makeAsyncIterator() -> WholeBodyPieces { self }

    mutating func next() async -> ByteBuffer? {
        guard !rest.isEmpty else { return nil }
        defer { rest = rest.dropFirst(Self.size) }
        return ByteBuffer(bytes: rest.prefix(Self.size))
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
