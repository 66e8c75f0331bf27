package import DuetHTTP
import DuetHTTPCaching
import Foundation
import HTTPTypes
package import Hummingbird
import NIOCore

/// Forwards each request to a client, and streams bodies in both directions.
///
/// Hummingbird and AsyncHTTPClient do not expose informational responses (1xx) or trailers, so neither is forwarded.
package struct ProxyResponder: HTTPResponder {
    package typealias Context = BasicRequestContext

    private let client: any HTTPClient
    private let pseudonym: String
    private let authority: String

    /// - Parameters:
    ///   - client: Sends the requests to the origin.
    ///   - pseudonym: The name of this proxy in `Via`, which no other proxy has.
    ///   - authority: The authority of requests that name no host.
    package init(client: any HTTPClient, pseudonym: String, authority: String) {
        self.client = client
        self.pseudonym = pseudonym
        self.authority = authority
    }

    package func respond(to request: Request, context: Context) async throws -> Response {
        if let response = try finalResponse(to: request) { return response }
        let forwarded = forwardedRequest(request)
        do {
            let (response, body) = try await client.send(forwarded, body: request.forwardedBody)
            context.logger.debug(
                "\(request.method) \(forwarded.loggableURL): \(response.status)",
                metadata: response.headerFields[.cacheStatus].map { ["cache": "\($0)"] }
            )
            return self.response(response, body, to: request)
        } catch let error as HTTPClientError {
            try Task.checkCancellation()
            context.logger.warning("\(request.method) \(forwarded.loggableURL): \(error)")
            // The client need not know which server is behind the proxy.
            throw error.reason == .deadlineExceeded
                ? HTTPError(.gatewayTimeout, message: "The origin did not respond in time.")
                : HTTPError(.badGateway, message: "The origin could not be reached, or its response is not valid HTTP.")
        }
    }

    /// The response to a request that must not be forwarded, or nil.
    private func finalResponse(to request: Request) throws -> Response? {
        guard request.method != .connect else {
            throw HTTPError(.notImplemented, message: "This proxy does not create tunnels.")
        }
        let visited = request.headers[values: .via].flatMap { $0.split(separator: ",") }
        guard !visited.contains(where: { $0.split(separator: " ").dropFirst().first == pseudonym[...] }) else {
            throw HTTPError(.init(code: 508, reasonPhrase: "Loop Detected"), message: "The proxy is its own origin.")
        }
        // With no forwards left, this server is the recipient (RFC 9110, section 7.6.2).
        guard [.trace, .options].contains(request.method), request.forwardsLeft == 0 else { return nil }
        guard request.method == .options else {
            throw HTTPError(.methodNotAllowed, message: "This proxy does not respond to TRACE.")
        }
        return Response(status: .ok, headers: [.contentLength: "0"])
    }

    private func forwardedRequest(_ request: Request) -> HTTPRequest {
        var fields = request.headers.forwarded(by: pseudonym)
        if [.trace, .options].contains(request.method), let left = request.forwardsLeft {
            fields[.maxForwards] = String(left - 1)
        }
        return HTTPRequest(
            method: request.method,
            scheme: "http",
            authority: request.head.authority ?? authority,
            path: request.head.path,
            headerFields: fields
        )
    }

    private func response(_ response: HTTPResponse, _ body: HTTPBody, to request: Request) -> Response {
        var headers = response.headerFields.forwarded(by: pseudonym)
        let isBodiless = request.method == .head || [.noContent, .notModified].contains(response.status)
        if !isBodiless, let size = body.size { headers[.contentLength] = String(size) }
        return Response(status: response.status, headers: headers, body: ResponseBody(body, isBodiless: isBodiless))
    }
}

extension ResponseBody {
    /// Streams the pieces of a body as they arrive. A body without content is read to its end, which completes its storing.
    fileprivate init(_ body: HTTPBody, isBodiless: Bool) {
        self.init { writer in
            for try await piece in body where !isBodiless { try await writer.write(ByteBuffer(bytes: piece)) }
            try await writer.finish(nil)
        }
    }
}

extension Request {
    /// The value of `Max-Forwards`, if it is a number.
    fileprivate var forwardsLeft: UInt32? { headers[.maxForwards].flatMap { UInt32($0) } }

    /// The body as it arrives, or nil for a request without content.
    fileprivate var forwardedBody: HTTPBody? {
        let length = headers[.contentLength].flatMap { Int64($0) }
        guard length != nil || headers.contains(.transferEncoding) else { return nil }
        return HTTPBody(body.map { Data(buffer: $0) }, size: length)
    }
}

extension HTTPFields {
    /// These fields without those of one connection (RFC 9110, section 7.6.1), and with the proxy in `Via` (section 7.6.3).
    fileprivate func forwarded(by pseudonym: String) -> HTTPFields {
        let named = FieldList.preferences(self[values: .connection]).compactMap { HTTPField.Name($0) }
        let dropped = Set(HTTPCachePolicy.connectionFields).union(named)
        var fields = HTTPFields(filter { !dropped.contains($0.name) })
        fields.append(HTTPField(name: .via, value: "1.1 \(pseudonym)"))
        return fields
    }
}
