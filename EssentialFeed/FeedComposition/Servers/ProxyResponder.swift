package import DuetHTTP
import DuetHTTPCaching
import DuetHummingbird
package import FeedServing
import Foundation
import HTTPTypes
package import Hummingbird
import Logging
import NIOCore

/// Forwards each request to a client, and streams bodies in both directions.
///
/// Hummingbird and AsyncHTTPClient do not expose informational responses (1xx) or trailers, so neither is forwarded.
package struct ProxyResponder: HTTPResponder {
    package typealias Context = ConnectionContext

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

    /// Returns the response of the client, or one of the proxy itself when there is none.
    ///
    /// - Throws: `CancellationError` when the task was canceled.
    package func respond(to request: Request, context: Context) async throws -> Response {
        if let response = finalResponse(to: request) { return response }
        let body = request.forwardedBody
        let response = try await forward(request, body, context)
        return body.map { response.releasing($0) } ?? response
    }

    private func forward(_ request: Request, _ body: ForwardedBody?, _ context: Context) async throws -> Response {
        let forwarded = forwardedRequest(request, from: context.clientAddress)
        do {
            let (response, content) = try await client.send(forwarded, body: body.map { HTTPBody($0, size: $0.size) })
            context.logger.debug(
                "\(request.method) \(forwarded.loggableURL): \(response.status)",
                metadata: response.headerFields[.cacheStatus].map { ["cache": "\($0)"] }
            )
            return self.response(response, content, to: request)
        } catch {
            try Task.checkCancellation()
            if body?.hasFailed == true { return request.refused(.badRequest, "The request's content is incomplete.") }
            context.logger.warning("\(request.method) \(forwarded.loggableURL): \(error)")
            return failure(error, to: request)
        }
    }

    /// The proxy's own response to a request that got none.
    ///
    /// The client need not know which server is behind the proxy.
    private func failure(_ error: any Error, to request: Request) -> Response {
        switch (error as? HTTPClientError)?.reason {
        case .deadlineExceeded?:
            request.refused(.gatewayTimeout, "The origin did not respond in time.")
        case .invalidRequest?:
            request.refused(
                .badRequest,
                "This proxy forwards neither a path that is * or holds . or .., nor content of GET, HEAD or TRACE."
            )
        default:
            request.refused(.badGateway, "The origin could not be reached, or its response is not valid HTTP.")
        }
    }

    /// The response to a request that must not be forwarded, or nil.
    private func finalResponse(to request: Request) -> Response? {
        guard request.method != .connect else {
            return request.refused(.notImplemented, "This proxy does not create tunnels.")
        }
        // A slash in a host would let one URL's response be stored under another URL.
        if let host = request.head.authority, Authority(host)?.isServerName != true {
            return request.refused(.badRequest, "The Host of the request is not a host with an optional port.")
        }
        let visited = request.headers[values: .via].flatMap { $0.split(separator: ",") }
        guard !visited.contains(where: { $0.split(separator: " ").dropFirst().first == pseudonym[...] }) else {
            return request.refused(.init(code: 508, reasonPhrase: "Loop Detected"), "The proxy is its own origin.")
        }
        // With no forwards left, this server is the recipient (RFC 9110, section 7.6.2).
        guard [.trace, .options].contains(request.method), request.forwardsLeft == 0 else { return nil }
        guard request.method == .options else {
            return request.refused(
                .methodNotAllowed,
                "This proxy does not respond to TRACE.",
                [.allow: "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"]
            )
        }
        return Response(status: .ok)
    }

    private func forwardedRequest(_ request: Request, from client: String?) -> HTTPRequest {
        var fields = request.headers.forwarded(by: pseudonym)
        if let name = HTTPField.Name("X-Forwarded-For"), let client {
            // A server behind this one trusts the last address.
            fields.append(HTTPField(name: name, value: client))
        }
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

    private func response(_ response: HTTPResponse, _ content: HTTPBody, to request: Request) -> Response {
        var fields = response.headerFields.forwarded(by: pseudonym)
        let mayHaveContent = ![.noContent, .notModified].contains(response.status)
        let sendsContent = mayHaveContent && request.method != .head
        if sendsContent, let size = content.size { fields[.contentLength] = String(size) }
        // NIO does not know that this is a response to HEAD. It would end it like one in chunks, and the client would
        // mistake that end for the beginning of the next response.
        let endsConnection = mayHaveContent && !sendsContent && !fields.contains(.contentLength)
        if endsConnection { fields[.connection] = "close" }
        let body = ResponseBody { writer in
            // Content that is not sent is read too, because a cache stores only what was read to its end.
            for try await piece in content where sendsContent { try await writer.write(inPieces: piece) }
            guard !endsConnection else { throw EndOfConnection() }
            try await writer.finish(nil)
        }
        return Response(status: response.status, headers: fields, body: body)
    }
}

/// Ends a connection after the head of a response.
private struct EndOfConnection: Error {}

extension Request {
    /// The value of `Max-Forwards`, if it is a number.
    fileprivate var forwardsLeft: UInt32? { headers[.maxForwards].flatMap { UInt32($0) } }

    /// The content as it arrives, or nil for a request without any.
    fileprivate var forwardedBody: ForwardedBody? {
        let length = headers[.contentLength].flatMap { Int64($0) }
        let hasContent = length.map { $0 > 0 } ?? headers.contains(.transferEncoding)
        return hasContent ? ForwardedBody(size: length, body: body) : nil
    }

    /// A response of the proxy itself.
    fileprivate func refused(_ status: HTTPResponse.Status, _ text: String, _ fields: HTTPFields = [:]) -> Response {
        var fields = fields
        fields[.contentType] = "text/plain; charset=utf-8"
        let content = ResponseBody(byteBuffer: ByteBuffer(string: text + "\n"))
        let response = Response(status: status, headers: fields, body: content)
        return method == .head ? response.createHeadResponse() : response
    }
}

extension HTTPFields {
    /// These fields without those of one connection (RFC 9110, section 7.6.1), with the proxy in `Via` (section 7.6.3).
    ///
    /// Fields that decide about caching are forwarded even if `Connection` names them.
    fileprivate func forwarded(by pseudonym: String) -> HTTPFields {
        let named = self[values: .connection].flatMap(FieldList.members).compactMap { HTTPField.Name($0.text) }
        let dropped = HTTPCachePolicy.connectionFields.union(named).subtracting(HTTPCachePolicy.decisiveFields)
        var fields = HTTPFields(filter { !dropped.contains($0.name) })
        fields.append(HTTPField(name: .via, value: "1.1 \(pseudonym)"))
        return fields
    }
}
