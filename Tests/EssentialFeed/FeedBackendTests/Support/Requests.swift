import FeedBackend
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import NIOHTTP1
import NIOPosix
import Testing

extension HTTPFields {
    /// The header fields of a sender with the publish permission.
    static var publisher: HTTPFields { .bearing(.test) }

    static func bearing(_ token: AccessToken) -> HTTPFields {
        [.authorization: "Bearer \(token.text)"]
    }
}

extension TestClientProtocol {
    func get(_ uri: String, headers: HTTPFields = [:]) async throws -> TestResponse {
        try await execute(uri: uri, method: .get, headers: headers)
    }

    func put(_ uri: String, _ type: String? = "image/jpeg", _ data: Data) async throws -> TestResponse {
        var headers = HTTPFields.publisher
        headers[.contentType] = type
        return try await execute(uri: uri, method: .put, headers: headers, body: ByteBuffer(bytes: data))
    }

    func post(_ uri: String, _ body: String, type: String? = "application/json") async throws -> TestResponse {
        var headers: HTTPFields = [:]
        headers[.contentType] = type
        return try await execute(uri: uri, method: .post, headers: headers, body: ByteBuffer(string: body))
    }

    func delete(_ uri: String) async throws -> TestResponse {
        try await execute(uri: uri, method: .delete, headers: .publisher)
    }
}

/// A problem in the format of RFC 9457.
struct ProblemBody: Decodable, Equatable {
    let title: String
    let status: Int
    let detail: String
}

extension TestResponse {
    var data: Data { Data(body.readableBytesView) }
    var text: String { String(buffer: body) }

    func json<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
        #expect(headers[.contentType] == "application/json")
        return try JSONDecoder().decode(type, from: data)
    }

    /// Requires that this response is a problem, and returns its detail.
    func problem(_ status: HTTPResponse.Status, at location: SourceLocation = #_sourceLocation) throws -> String {
        #expect(self.status == status, sourceLocation: location)
        #expect(headers[.contentType] == "application/problem+json", sourceLocation: location)
        let problem = try JSONDecoder().decode(ProblemBody.self, from: data)
        #expect(problem.status == status.code, sourceLocation: location)
        // As in the status line.
        let title = HTTPResponseStatus(statusCode: status.code).reasonPhrase
        #expect(problem.title == title, sourceLocation: location)
        return problem.detail
    }
}

/// Writes bytes to a server, and returns the received bytes until the server closes the connection.
///
/// - Parameter isCutShort: Whether the client closes its side of the connection after the last byte.
func exchange(_ text: String, port: Int, isCutShort: Bool = false) async throws -> String {
    let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
        .connect(host: "localhost", port: port) { channel in
            channel.eventLoop.makeCompletedFuture {
                try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
                    wrappingChannelSynchronously: channel,
                    configuration: .init(isOutboundHalfClosureEnabled: true)
                )
            }
        }
    return try await channel.executeThenClose { inbound, outbound in
        try await outbound.write(ByteBuffer(string: text))
        if isCutShort { outbound.finish() }
        var answer = ByteBuffer()
        for try await part in inbound { answer.writeImmutableBuffer(part) }
        return String(buffer: answer)
    }
}
