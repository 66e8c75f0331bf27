import Duet
import DuetAsyncHTTPClient
import DuetHTTP
import DuetHTTPCaching
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle

/// Forwards each request through a client with a cache, so that the public HTTP cache suite can test the cache.
///
///     CachingServer ORIGIN PORT      for example 127.0.0.1:8000 8001
@main
enum CachingServer {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, let port = Int(arguments[2]) else {
            print("usage: CachingServer ORIGIN PORT")
            exit(2)
        }
        try await withNIOHTTPClient { network in
            let client = OriginClient(base: network, authority: arguments[1])
                // The origin may have closed the connection when the request was already on its way.
                .retrying(.closedConnections)
                .caching()
            // Hummingbird's `Application` would replace the `Date` of each response.
            let server = try HTTPServerBuilder.http1().buildServer(
                configuration: ServerConfiguration(address: .hostname("127.0.0.1", port: port)),
                eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
                logger: Logger(label: "CachingServer"),
                responder: { request, writer, _ in
                    let response = try await Forwarder(client: client).respond(to: request)
                    try await writer.write(response: response.head, body: response.body)
                },
                onServerRunning: { _ in FileHandle.standardOutput.write(Data("Cache: http://127.0.0.1:\(port)\n".utf8))
                }
            )
            try await server.run()
        }
    }
}

extension HTTPRetryPolicy {
    fileprivate static var closedConnections: HTTPRetryPolicy {
        HTTPRetryPolicy(
            maximumAttempts: 2,
            backoff: .constant(.zero),
            statuses: [],
            errors: [.connectionFailed],
            budget: .unlimited
        )
    }
}

/// Sends requests to one origin, whatever host they name.
private struct OriginClient: HTTPClientDecorator {
    let base: any HTTPClient
    let authority: String
    var summary: String { "origin" }

    func send(
        _ request: HTTPRequest,
        body: HTTPBody?,
        through base: any HTTPClient
    ) async throws -> (HTTPResponse, HTTPBody) {
        var request = request
        request.authority = authority
        return try await base.send(request, body: body)
    }
}

private struct Forwarder {
    let client: any HTTPClient

    func respond(to request: Request) async throws -> Response {
        let content = Data(try await request.body.collect(upTo: 1024 * 1024).readableBytesView)
        let forwarded = HTTPRequest(
            method: request.method.sent,
            scheme: "http",
            authority: request.head.authority,
            path: request.head.path,
            headerFields: request.headers.forwarded
        )
        do {
            let (response, body) = try await client.send(forwarded, body: content.isEmpty ? nil : HTTPBody(content))
            return self.response(response, body, to: request)
        } catch let error as HTTPClientError {
            return Response(
                status: .badGateway,
                body: ResponseBody(byteBuffer: ByteBuffer(string: "\(error)"))
            )
        }
    }

    private func response(_ response: HTTPResponse, _ content: HTTPBody, to request: Request) -> Response {
        var fields = response.headerFields.forwarded
        let mayHaveContent = ![.noContent, .notModified].contains(response.status)
        let sendsContent = mayHaveContent && request.method != .head
        if sendsContent, let size = content.size { fields[.contentLength] = String(size) }
        // NIO does not know that this is a response to HEAD, and would end it like one in chunks.
        let endsConnection = mayHaveContent && !sendsContent && !fields.contains(.contentLength)
        if endsConnection { fields[.connection] = "close" }
        let body = ResponseBody { writer in
            for try await piece in content where sendsContent { try await writer.write(ByteBuffer(bytes: piece)) }
            guard !endsConnection else { throw EndOfConnection() }
            try await writer.finish(nil)
        }
        return Response(status: response.status, headers: fields, body: body)
    }
}

/// Ends a connection after the head of a response.
private struct EndOfConnection: Error {}

extension HTTPRequest.Method {
    /// The method with the hyphen that NIO leaves out of M-SEARCH.
    fileprivate var sent: Self { rawValue == "MSEARCH" ? Self("M-SEARCH") ?? self : self }
}

extension HTTPFields {
    /// These fields without those of one connection (RFC 9110, section 7.6.1).
    fileprivate var forwarded: HTTPFields {
        let named = self[values: .connection].flatMap(FieldList.members).compactMap { HTTPField.Name($0.text) }
        let dropped = HTTPCachePolicy.connectionFields.union(named).subtracting(HTTPCachePolicy.decisiveFields)
        return HTTPFields(filter { !dropped.contains($0.name) })
    }
}
