import Duet
import DuetHTTP
import Foundation
import HTTPTypes
import Testing

/// The request of a message, and the message that is read from it.
struct Journey<Message: HTTPMessage> {
    let coder: MessageCoder<Message>
    let api: HTTPAPI
    let method: HTTPRequest.Method

    init(_ endpoint: MessageAPI.Entry, settings: HTTPSettings = HTTPSettings()) throws {
        coder = MessageCoder(settings)
        api = try HTTPAPI(settings) { endpoint }
        method = try #require(api.endpoints.first).method
    }

    init(_ message: Message.Type, settings: HTTPSettings = HTTPSettings()) throws {
        try self.init(.open(message), settings: settings)
    }

    /// Writes a message, finds its endpoint and reads it back: `decode(route(encode(message)))`.
    func end(of message: Message) throws -> Message {
        let sent = try coder.encode(message)
        let parts = sent.path.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let route = api.route(method, parts[0])
        guard case .found(let endpoint, let parameters) = route else {
            throw HTTPMessageError.invalid(field: sent.path, reason: "leads to \(route)")
        }
        try #require(endpoint.messageName == Message.messageName)
        let received = MessageParts(
            parameters: parameters,
            query: parts.count == 2 ? String(parts[1]) : nil,
            contentType: sent.headers[.contentType],
            body: sent.body ?? Data()
        )
        return try coder.decode(received)
    }
}

extension MessageCoder {
    /// Path and query of a message.
    func path(_ message: Message) throws -> String { try encode(message).path }

    /// The message of a query.
    func decode(query: String, parameters: [String: String] = [:]) throws -> Message {
        try decode(MessageParts(parameters: parameters, query: query, contentType: nil, body: Data()))
    }

    /// The message of a body.
    func decode(_ body: String, parameters: [String: String] = [:], contentType: String? = "application/json") throws
        -> Message
    {
        try decode(MessageParts(parameters: parameters, query: nil, contentType: contentType, body: Data(body.utf8)))
    }
}
