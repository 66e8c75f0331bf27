import Duet
import DuetClusterEngine
import DuetContext
import Foundation

protocol AnyRoute: AnyObject, Sendable {
    var message: any Message.Type { get }

    var name: String { get }

    /// Has a message read, accepted and handled.
    ///
    /// - Returns: The encoded value.
    func receive(
        _ body: Data,
        in context: TaskContext,
        _ dispatcher: any Dispatcher
    ) async throws(MessageFailure) -> Data

    /// Decodes a command for the rules of a cache.
    func command(from body: Data) throws -> any Command

    /// Encodes a command that this node handled, for the rules of other caches.
    func body(of command: any Command) throws -> Data
}

extension AnyRoute {
    var isCommand: Bool { message is any Command.Type }
}

final class ClusterRoute<M: Message>: AnyRoute {
    typealias Send = @Sendable @concurrent (M, Sender, Acknowledgment) async throws -> M.Value
    typealias Answer = @Sendable (M, any Dispatcher) async throws -> Data
    typealias Key = @Sendable (M) -> any Encodable

    let name = M.messageName
    let send: Send
    /// Returns the key of a command; nil for a message that can be handled in any order.
    let key: @Sendable (M) throws -> String?
    private let receiver: MessageReceiver<M>
    private let errors: [any DeclaredError.Type]
    private let answer: Answer
    private let decode: @Sendable (Data) throws -> M
    private let encode: @Sendable (M) throws -> Data

    private init(
        _ entry: MessageAPI.Entry,
        key: Key? = nil,
        send: @escaping Send,
        answer: @escaping Answer
    ) where M: Codable {
        receiver = MessageReceiver(entry)
        errors = entry.declaredErrors
        self.key = { try Self.text(key, $0) }
        self.send = send
        self.answer = answer
        decode = { try ClusterCoding.decode(M.self, from: $0, of: M.messageName) }
        encode = { try ClusterCoding.encode($0) }
    }

    convenience init(payload entry: MessageAPI.Entry) where M: PayloadQuery {
        let (name, errors) = (M.messageName, entry.declaredErrors)
        self.init(entry) { query, sender, _ in
            let body = try ClusterCoding.encode(query)
            let response = AnswerOffer.take(query, at: sender)
            let reading = Reading.current(of: M.self)
            let bytes = try await sender.ask(name, body, for: reading, answering: response, declared: errors)
            let payload = try ClusterCoding.decode(M.Payload.self, from: bytes, of: name)
            let value = try M.value(from: payload, answering: query)
            guard let address = sender.address, M.self is any LinkingQuery.Type else { return value }
            return try M.value(from: M.payload(from: value, answering: query, linkedTo: address), answering: query)
        } answer: { query, dispatcher in
            try ClusterCoding.encode(try M.payload(from: try await dispatcher.dispatch(query), answering: query))
        }
    }

    convenience init(codable entry: MessageAPI.Entry) where M: Query & Codable {
        let (name, errors) = (M.messageName, entry.declaredErrors)
        self.init(entry) { query, sender, _ in
            let body = try ClusterCoding.encode(query)
            let bytes = try await sender.ask(name, body, for: Reading.current(of: M.self), declared: errors)
            return try ClusterCoding.decode(codable: M.Value.self, from: bytes, of: name)
        } answer: { query, dispatcher in
            try ClusterCoding.encode(codable: try await dispatcher.dispatch(query), of: name)
        }
    }

    convenience init(_ entry: MessageAPI.Entry, key: Key?) where M: Command & Codable {
        let errors = entry.declaredErrors
        self.init(entry, key: key) { command, sender, acknowledgment in
            _ = try await Self.submit(command, sender, acknowledgment, key, errors)
        } answer: { command, dispatcher in
            try await dispatcher.dispatch(command)
            return Data()
        }
    }

    /// A command whose outcome has the query that its handler names.
    convenience init(answered entry: MessageAPI.Entry, key: Key?) where M: AnsweredCommand & Codable {
        let errors = entry.declaredErrors
        self.init(entry, key: key) { command, sender, acknowledgment in
            guard let answer = CommandAnswer<M>.current else {
                _ = try await Self.submit(command, sender, acknowledgment, key, errors)
                return
            }
            // The answer would wait for the command that is being handled, if they have one partition.
            guard !answer.isAwaited || !LoggedCommandHandler.isHandling else {
                throw ClusterError.waitsInHandler(message: M.messageName)
            }
            // The node that answers the query must have reached the command.
            let token = WriteToken.current ?? (answer.isAwaited ? WriteToken() : nil)
            let named = try await withWriteToken(token) {
                try await Self.submit(command, sender, acknowledgment, key, errors)
            }
            do {
                let query = try Self.query(named) ?? command.answer(from: nil)
                let response = token.map { AnswerResponse($0, holdsValue: false, from: sender) }
                if let query { answer.note(query, in: response) }
            } catch {
                answer.note(unreadable: error)
            }
        } answer: { command, dispatcher in
            let answer = CommandAnswer<M>(outer: nil)
            try await answer.noted { try await dispatcher.dispatch(command) }
            let query = answer.knownQuery(of: command)
            // The sender knows what the command itself tells. The command has been handled, whatever its query is.
            return query == command.answer(from: nil) ? Data() : (try? query.map(ClusterCoding.encode)) ?? Data()
        }
    }

    private static func query(_ named: Data) throws -> M.Answer? where M: AnsweredCommand {
        named.isEmpty ? nil : try ClusterCoding.decode(M.Answer.self, from: named, of: M.messageName)
    }

    /// Sends a command, and returns the query that its handler has named, as bytes.
    private static func submit(
        _ command: M,
        _ sender: Sender,
        _ acknowledgment: Acknowledgment,
        _ key: Key?,
        _ errors: [any DeclaredError.Type]
    ) async throws -> Data where M: Command & Codable {
        let (name, body) = (M.messageName, try ClusterCoding.encode(command))
        return try await withSendingKey(of: name, body) { idempotencyKey in
            let logged = try LoggedCommand(name, body, key: try text(key, command), idempotencyKey: idempotencyKey)
            return try await sender.submit(logged, until: acknowledgment, declared: errors)
        }
    }

    private static func text(_ key: Key?, _ command: M) throws -> String? {
        try key.map { try ClusterCoding.text($0(command)) }
    }

    var message: any Message.Type { M.self }

    func receive(
        _ body: Data,
        in context: TaskContext,
        _ dispatcher: any Dispatcher
    ) async throws(MessageFailure) -> Data {
        var value = Data()
        try await receiver.receive(in: context, declared: errors) {
            try decode(body)
        } handle: {
            value = try await answer($0, dispatcher)
        }
        return value
    }

    func command(from body: Data) throws -> any Command {
        guard let command = try decode(body) as? any Command else {
            throw ClusterError.unreadable(message: name, reason: "it is not a command")
        }
        return command
    }

    func body(of command: any Command) throws -> Data {
        guard let command = command as? M else {
            throw ClusterError.unreadable(message: name, reason: "it is another command")
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
