package import Duet
import DuetContext
import Foundation
import ServiceContextModule

/// How messages of one type are sent and handled.
protocol AnyRoute: AnyObject, Sendable {
    /// Decodes a message.
    ///
    /// - Returns: Its dispatch in the current context, which returns the encoded value.
    func read(_ body: Data) throws -> @Sendable (any Dispatcher) async throws -> Data

    /// Decodes a command for the rules of a cache.
    func command(from body: Data) throws -> any Command

    /// Encodes a command that this node handled, for the rules of other caches.
    func body(of command: any Command) throws -> Data

    var declaredErrors: [any DeclaredError.Type] { get }
}

final class ClusterRoute<M: Message>: AnyRoute {
    let send: @Sendable @concurrent (M, Sender, Acknowledgment) async throws -> M.Value
    private let answer: @Sendable (M, any Dispatcher) async throws -> Data
    private let decode: @Sendable (Data) throws -> M
    private let encode: @Sendable (M) throws -> Data
    private let log: (@Sendable (M) throws -> LoggedCommand)?

    /// Creates the route of a query with a payload.
    init(payload query: M.Type) where M: PayloadQuery {
        let name = M.messageName
        log = nil
        decode = { try ClusterCoding.decode(M.self, from: $0, of: name) }
        encode = { try ClusterCoding.encode($0) }
        send = { query, sender, _ in
            let bytes = try await sender.ask(name, try ClusterCoding.encode(query), declared: M.declaredErrors)
            let payload = try ClusterCoding.decode(M.Payload.self, from: bytes, of: name)
            return try M.value(from: payload, answering: query)
        }
        answer = { query, dispatcher in
            try ClusterCoding.encode(try M.payload(from: try await dispatcher.dispatch(query), answering: query))
        }
    }

    /// Creates the route of a query whose value is `Codable`.
    init(codable query: M.Type) where M: Query & Codable {
        let name = M.messageName
        log = nil
        decode = { try ClusterCoding.decode(M.self, from: $0, of: name) }
        encode = { try ClusterCoding.encode($0) }
        send = { query, sender, _ in
            let bytes = try await sender.ask(name, try ClusterCoding.encode(query), declared: M.declaredErrors)
            return try ClusterCoding.decode(codable: M.Value.self, from: bytes, of: name)
        }
        answer = { query, dispatcher in
            try ClusterCoding.encode(codable: try await dispatcher.dispatch(query), of: name)
        }
    }

    init(_ command: M.Type, key: @escaping @Sendable (M) throws -> String?) where M: Command & Codable {
        let name = M.messageName
        log = { command in
            try LoggedCommand(name, try ClusterCoding.encode(command), key: try key(command), idempotencyKey: nil)
        }
        decode = { try ClusterCoding.decode(M.self, from: $0, of: name) }
        encode = { try ClusterCoding.encode($0) }
        send = { command, sender, acknowledgment in
            let body = try ClusterCoding.encode(command)
            try await withSendingKey(of: name, body) { idempotencyKey in
                let logged = try LoggedCommand(name, body, key: try key(command), idempotencyKey: idempotencyKey)
                try await sender.submit(logged, until: acknowledgment, declared: M.declaredErrors)
            }
        }
        answer = { command, dispatcher in
            try await dispatcher.dispatch(command)
            return Data()
        }
    }

    var declaredErrors: [any DeclaredError.Type] { M.declaredErrors }

    /// A command for the log, with a new identifier and what travels beside it in the current task.
    ///
    /// - Throws: `EncodingError`; ``ClusterError/notListed(message:)`` for a query.
    func logged(_ command: M) throws -> LoggedCommand {
        guard let log else { throw ClusterError.notListed(message: M.messageName) }
        return try log(command)
    }

    func read(_ body: Data) throws -> @Sendable (any Dispatcher) async throws -> Data {
        let message = try decode(body)
        return { [answer] dispatcher in try await answer(message, dispatcher) }
    }

    func command(from body: Data) throws -> any Command {
        guard let command = try decode(body) as? any Command else {
            throw ClusterError.unreadable(message: M.messageName, reason: "it is not a command")
        }
        return command
    }
}

extension ClusterRoute {
    func body(of command: any Command) throws -> Data {
        guard let command = command as? M else {
            throw ClusterError.unreadable(message: M.messageName, reason: "it is another command")
        }
        return try encode(command)
    }
}

extension LoggedCommand {
    /// Creates a command with what travels beside it in the current task.
    ///
    /// - Parameters:
    ///   - key: The key; nil for a command that may be handled in any order.
    ///   - idempotencyKey: The key that the sender chose. It belongs to one message and one principal, so that nobody
    ///     interferes with the keys of others.
    init(_ message: String, _ body: Data, key: String?, idempotencyKey: String?) throws {
        var envelope = Envelope(body: body)
        try envelope.addContext(to: message)
        var id = UUID().uuidString
        if let idempotencyKey {
            try ClusterCoding.check(idempotencyKey, "idempotency key", of: message)
            envelope.headers[Header.key] = try ClusterCoding.text([idempotencyKey])
            id = commandIdentity(message, Principal.current, idempotencyKey)
        }
        self.init(id: id, key: key ?? id, message: message, envelope: envelope)
    }
}

/// Encodes commands for an outbox.
package struct CommandEncoding: Sendable {
    private let messages: MessageList

    /// - Throws: ``ClusterError/listedTwice(message:)``.
    package init(_ messages: [ClusterMessage]) throws {
        self.messages = try MessageList(messages)
    }

    /// Returns a new command, with a new identifier and what travels beside it in the current task.
    ///
    /// - Throws: ``ClusterError/notListed(message:)``; `EncodingError`.
    package func encode<C: Command & Codable>(_ command: C) throws -> LoggedCommand {
        try messages.route(of: C.self).logged(command)
    }
}
