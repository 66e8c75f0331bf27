import DuetHTTP
import DuetHTTPCaching
import Foundation
import HTTPTypes
import NIOHTTP1

/// What becomes of a request: it is sent on, or answered by the proxy itself.
enum ForwardedRequest {
    case forward(HTTPRequest)
    case answer(HTTPAnswer)

    init(_ head: HTTPRequestHead, by proxy: ProxyIdentity) {
        guard head.method != .CONNECT, let method = HTTPRequest.Method(head.method) else {
            self = .answer(HTTPAnswer(.notImplemented, "This proxy makes no tunnels."))
            return
        }
        guard !head.headers.hasUnknownTransferCoding else {
            self = .answer(HTTPAnswer(.notImplemented, "This proxy knows no transfer coding but chunked."))
            return
        }
        let hosts = head.headers["host"].map(\.withoutSpacesAtItsEnd)
        guard let target = RequestTarget(head.uri, of: head.method),
            hosts.count == 1 || hosts.isEmpty && !head.speaksHTTP11,
            (hosts + (target.authority.map { [$0] } ?? [])).allSatisfy(AuthorityText.isServer)
        else {
            self = .answer(
                HTTPAnswer(
                    .badRequest,
                    "Send a path, or an http or https URL, without a fragment, and one Host field with a host and, perhaps, a port."
                )
            )
            return
        }
        var fields = HTTPFields(head.headers, without: "host").forwarded
        guard !fields.cameThrough(proxy.pseudonym) else {
            self = .answer(HTTPAnswer(.init(code: 508, reasonPhrase: "Loop Detected"), "The proxy is its own origin."))
            return
        }
        fields.appendVia(head.version, by: proxy.pseudonym)
        var request = HTTPRequest(
            method: method,
            scheme: "http",
            // As a cache names the server, because an origin may write what it is called into its answer, which others get.
            authority: (target.authority ?? hosts.first).map { Authority($0)?.text(withoutDefaultPortOf: "http") ?? $0 }
                ?? proxy.authority,
            path: target.path,
            headerFields: fields
        )
        // RFC 9110, section 7.6.2: with none left, this is where the request ends.
        if method == .trace || method == .options, let text = fields[.maxForwards], let count = UInt32(text) {
            guard count > 0 else {
                self = .answer(HTTPAnswer(lastRecipientOf: request, target: head.uri))
                return
            }
            request.headerFields[.maxForwards] = String(count - 1)
        }
        self = .forward(request)
    }
}

extension String {
    /// As a field is to be read (RFC 9112, section 5.1): the parser leaves what stands behind a value.
    fileprivate var withoutSpacesAtItsEnd: String {
        guard let last = utf8.last, last == UInt8(ascii: " ") || last == UInt8(ascii: "\t") else { return self }
        return self[...].trimmingSpaces
    }
}

extension HTTPAnswer {
    /// The answer to a request that may go no further: to `TRACE`, what has arrived without its secrets (RFC 9110, section 9.3.8).
    fileprivate init(lastRecipientOf request: HTTPRequest, target: String) {
        guard request.method == .trace else {
            self.init(status: .ok)
            return
        }
        let secrets: Set<HTTPField.Name> = [.authorization, .cookie]
        let lines = request.headerFields.filter { !secrets.contains($0.name) }.map { "\($0.name.rawName): \($0.value)" }
        let message = ["TRACE \(target) HTTP/1.1"] + (request.authority.map { ["Host: \($0)"] } ?? []) + lines
        self.init(
            status: .ok,
            headers: [.contentType: "message/http"],
            body: Data((message.joined(separator: "\r\n") + "\r\n\r\n").utf8)
        )
    }
}
