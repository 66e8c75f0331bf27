import DuetHTTP
import DuetHTTPCaching
import Foundation
import HTTPTypes
import Logging
import NIOCore
import NIOHTTP1

/// One request of a client and its answer.
struct ClientExchange: Sendable {
    let request: IncomingMessage<HTTPRequestHead>
    let client: any HTTPClient
    let identity: ProxyIdentity
    let connection: ProxyConnection
    let logger: Logger

    /// How many bytes of an answer that is there are handed to the connection at once.
    private static let pieceSize = 65_536

    /// Answers, and closes the connection when it cannot serve another request.
    func run() async {
        // The next request comes after what is left of this one's body, which nobody wants any more.
        defer { request.body?.discard() }
        do {
            try await answer()
            if !keepsConnection { channel.close(mode: .output, promise: nil) }
        } catch {
            // What has been sent must not look as if it were the whole answer.
            connection.breakOff()
        }
    }

    private var channel: any Channel { connection.channel }

    private var keepsConnection: Bool {
        !connection.isBroken && request.head.speaksHTTP11 && request.head.isKeepAlive && !request.head.endsHTTP
    }

    private func answer() async throws {
        let forwarding: HTTPRequest
        switch ForwardedRequest(request.head, by: identity) {
        case .forward(let request): forwarding = request
        case .answer(let answer): return try await write(answer)
        }
        let response: HTTPResponse
        let body: HTTPBody
        do {
            (response, body) = try await send(forwarding)
        } catch {
            try Task.checkCancellation()
            guard !connection.isBroken else {
                return try await write(HTTPAnswer(.badRequest, "The body of the request is not HTTP."))
            }
            warn("\(error)", of: forwarding)
            return try await write(HTTPAnswer(failure: error))
        }
        // Read as text, because a hit would otherwise be taken apart for nothing.
        if response.headerFields[values: .cacheStatus].last?.hasSuffix(CacheStatus.originFailed) == true {
            warn("The origin failed, and what is stored stands in for its answer.", of: forwarding)
        }
        logger.debug(
            "\(request.head.method) \(forwarding.loggableURL): \(response.status)",
            metadata: response.headerFields[.cacheStatus].map { ["cache": "\($0)"] }
        )
        do {
            try await write(response, body)
        } catch {
            // A client that has gone knows it.
            if !(error is CancellationError), channel.isActive {
                warn("The answer broke off: \(error)", of: forwarding)
            }
            throw error
        }
    }

    /// Tells what the client is not told.
    private func warn(_ text: Logger.Message, of forwarding: HTTPRequest) {
        // The URL is the one that the client asked for, and not where the origin is.
        logger.warning(
            text,
            metadata: [
                "request": "\(request.head.method) \(forwarding.loggableURL)", "origin": "\(identity.authority ?? "")",
            ]
        )
    }

    /// Sends the request on, and writes the interim answers, each of which is written before the answer.
    private func send(_ forwarding: HTTPRequest) async throws -> (HTTPResponse, HTTPBody) {
        let body = request.body.map { HTTPBody($0, size: request.head.headers.announcedLength) }
        // RFC 9110, section 15.2: clients that speak HTTP/1.0 know no interim answers.
        guard request.head.speaksHTTP11 else { return try await client.send(forwarding, body: body) }
        var options = HTTPRequestOptions.current
        // In the order of the calls, and thus before the answer; a client that is behind is spared them.
        options.onInterimAnswer = { [channel] interim in
            guard channel.isWritable else { return }
            channel.writeAndFlush(HTTPServerResponsePart.head(HTTPResponseHead(interim)), promise: nil)
        }
        return try await options.use { try await client.send(forwarding, body: body) }
    }

    private func write(_ response: HTTPResponse, _ body: HTTPBody) async throws {
        var head = HTTPResponseHead(response)
        let isBodiless =
            request.head.method == .HEAD || response.status == .noContent || response.status == .notModified
        if isBodiless {
            // Nothing comes, but who stores the answer waits to hear that it is complete.
            for try await _ in body {}
            setConnection(&head)
            try await write(.head(head))
            return end()
        }
        let isChunked = !head.headers.contains(name: "content-length") && request.head.speaksHTTP11
        if isChunked { head.headers.add(name: "Transfer-Encoding", value: "chunked") }
        if !isChunked, !head.headers.contains(name: "content-length") { connection.setEndsAnswer() }
        setConnection(&head)
        try await write(.head(head))
        if let whole = body.whole {
            // What is there together is sent together.
            for start in stride(from: whole.startIndex, to: whole.endIndex, by: Self.pieceSize) {
                try await write(piece: whole[start..<min(start + Self.pieceSize, whole.endIndex)])
            }
            return end()
        }
        channel.flush()
        for try await piece in body {
            try await write(piece: piece)
            channel.flush()
        }
        let trailers = body.trailers
        end(isChunked && !trailers.isEmpty ? HTTPHeaders(trailers) : nil)
    }

    private func write(piece: Data) async throws {
        try await write(.body(.byteBuffer(ByteBuffer(bytes: piece))))
    }

    /// Waits until everything has been sent where the client is behind.
    private func write(_ part: HTTPServerResponsePart) async throws {
        if channel.isWritable {
            channel.write(part, promise: nil)
        } else {
            try await channel.writeAndFlush(part).get()
        }
    }

    private func end(_ trailers: HTTPHeaders? = nil) {
        // First, because the end lets the next request in.
        connection.endAnswer(isLast: !keepsConnection)
        channel.writeAndFlush(HTTPServerResponsePart.end(trailers), promise: nil)
    }

    private func write(_ answer: HTTPAnswer) async throws {
        let content = answer.body ?? Data()
        var response = HTTPResponse(status: answer.status, headerFields: answer.headers)
        response.headerFields[.contentLength] = String(content.count)
        try await write(response, HTTPBody(content))
    }

    private func setConnection(_ head: inout HTTPResponseHead) {
        if !keepsConnection { head.headers.add(name: "Connection", value: "close") }
    }
}

extension HTTPRequestHead {
    /// Whether its sender knows chunks and interim answers.
    var speaksHTTP11: Bool { version.major == 1 && version.minor >= 1 }

    /// Whether NIO's parser takes what follows for another protocol, and reads no further request.
    fileprivate var endsHTTP: Bool {
        method == .CONNECT
            || ["Connection", "Proxy-Connection"].contains { name in
                headers[canonicalForm: name].contains { $0.lowercased() == "upgrade" }
            }
    }
}
