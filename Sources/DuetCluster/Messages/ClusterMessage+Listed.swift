import Duet
import Foundation

extension MessageAPI {
    /// The messages that a cluster carries.
    ///
    /// - Throws: ``InvalidMessageAPI`` with every fault.
    var clusterMessages: [ClusterMessage] {
        get throws(InvalidMessageAPI) {
            let messages = entries(of: .cluster).map { (entry: $0, message: ClusterMessage($0)) }
            let faults =
                self.faults(of: .cluster).map(\.description)
                + messages.compactMap { $0.message == nil ? $0.entry.clusterFault : nil }
            guard faults.isEmpty else { throw InvalidMessageAPI(faults: faults) }
            return messages.compactMap(\.message)
        }
    }
}

extension MessageAPI.Entry {
    /// The reason why a cluster cannot carry the message.
    fileprivate var clusterFault: String {
        """
        \(message.messageName) cannot be carried by a cluster: conform it, and the value of a query, to Codable, or \
        write \(message).not(over: .cluster) in the list.
        """
    }
}

extension ClusterMessage {
    /// Creates the form in which a cluster carries a listed message; nil if it cannot.
    fileprivate init?(_ entry: MessageAPI.Entry) {
        switch entry.message {
        case let command as any (Command & Codable).Type: self = Self.command(command, entry)
        case let query as any PayloadQuery.Type: self = Self.payloadQuery(query)
        case let query as any (Query & Codable).Type:
            guard let message = Self.query(query) else { return nil }
            self = message
        default: return nil
        }
    }

    private static func command<C: Command & Codable>(_ command: C.Type, _ entry: MessageAPI.Entry) -> ClusterMessage {
        let key = (entry.listed as? Listed<C>)?.key
        return ClusterMessage(
            ClusterRoute(command) { command in try key.map { try ClusterCoding.text($0(command)) } },
            isCommand: true
        )
    }

    private static func payloadQuery<Q: PayloadQuery>(_ query: Q.Type) -> ClusterMessage {
        ClusterMessage(ClusterRoute(payload: query), isCommand: false)
    }

    private static func query<Q: Query & Codable>(_ query: Q.Type) -> ClusterMessage? {
        guard Q.Value.self is any Codable.Type else { return nil }
        return ClusterMessage(ClusterRoute(codable: query), isCommand: false)
    }
}

extension ClusterCoding {
    /// Encodes a value whose type is known to be `Encodable` when the program runs.
    static func encode<Value>(codable value: Value, of message: String) throws -> Data {
        guard let value = value as? any Encodable else {
            throw ClusterError.unreadable(message: message, reason: "its value is not Encodable")
        }
        return try encode(value)
    }

    /// Decodes a value whose type is known to be `Decodable` when the program runs.
    static func decode<Value>(codable type: Value.Type, from data: Data, of message: String) throws -> Value {
        guard let type = type as? any Decodable.Type, let value = try open(type, data, message) as? Value else {
            throw ClusterError.unreadable(message: message, reason: "its value is not Decodable")
        }
        return value
    }

    private static func open<Value: Decodable>(_ type: Value.Type, _ data: Data, _ message: String) throws -> Any {
        try decode(type, from: data, of: message)
    }
}
