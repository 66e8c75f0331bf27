import AsyncHTTPClient
import DuetHTTP
import Foundation
import HTTPTypes
import NIOCore
import NIOHTTP1

extension HTTPClientRequest {
    /// A request as AsyncHTTPClient takes it.
    ///
    /// A `Host` field is left out, because the authority says it and a redirect may change it.
    init(_ request: HTTPRequest, body: Data?) throws {
        guard let scheme = request.scheme?.lowercased(), ["http", "https"].contains(scheme) else {
            throw DuetHTTP.HTTPClientError.invalidRequest(reason: "its scheme must be http or https")
        }
        guard let authority = request.authority, !authority.isEmpty else {
            throw DuetHTTP.HTTPClientError.invalidRequest(reason: "it has no authority; give it a host")
        }
        // Sending without them would hide that they were lost, RFC 9110, section 4.2.4.
        guard !authority.contains("@") else {
            throw DuetHTTP.HTTPClientError.invalidRequest(
                reason: "its authority holds a user; send an Authorization field instead"
            )
        }
        // AsyncHTTPClient traps on a port that TCP does not have.
        guard authority.hasPossiblePort else {
            throw DuetHTTP.HTTPClientError.invalidRequest(reason: "its port must be 0 to 65535")
        }
        let path = request.path ?? "/"
        guard path.hasPrefix("/") else {
            throw DuetHTTP.HTTPClientError.invalidRequest(reason: "its path must begin with /")
        }
        self.init(url: "\(scheme)://\(authority)\(path)")
        method = HTTPMethod(rawValue: request.method.rawValue)
        for field in request.headerFields where field.name.canonicalName != "host" {
            headers.add(name: field.name.rawName, value: field.value)
        }
        self.body = body.map { .bytes(ByteBuffer(bytes: $0)) }
    }
}

extension String {
    /// Whether an authority names a port that there can be, or none.
    fileprivate var hasPossiblePort: Bool {
        // The colons between brackets belong to an IPv6 address.
        guard let colon = lastIndex(of: ":"), !self[colon...].contains("]") else { return true }
        let port = self[index(after: colon)...]
        return port.isEmpty || UInt16(port) != nil
    }
}
