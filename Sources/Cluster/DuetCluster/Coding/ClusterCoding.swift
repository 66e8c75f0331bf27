import Duet
import DuetClusterEngine
import DuetContext
import Foundation
import Instrumentation
import ServiceContextModule

enum ClusterCoding {
    /// Equal commands have equal bytes, in each process: the keys of what a handler sends depend on them.
    private static let encoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return encoder
    }()
    private static let decoder = JSONDecoder()

    /// The largest number of bytes that are decoded, which is the largest message that a server of NATS can take.
    private static let largest = 64 << 20

    /// The largest number of bytes of a name, an identifier or a key that a sender chooses.
    static let longestName = 255

    static func encode(_ value: some Encodable) throws -> Data { try encoder.encode(value) }

    /// - Throws: ``ClusterError/unreadable(message:reason:)`` with the path to the fault.
    static func decode<Value: Decodable>(_ type: Value.Type, from data: Data, of message: String) throws -> Value {
        try checkText(data, of: message)
        do {
            return try decoder.decode(type, from: data)
        } catch let error as DecodingError {
            throw ClusterError.unreadable(message: message, reason: "\(error.fault.field) \(error.fault.reason)")
        }
    }

    /// Encodes a value whose type is known to be `Encodable` when the program runs.
    static func encode<Value>(codable value: Value, of message: String) throws -> Data {
        guard let value = value as? any Encodable else {
            throw ClusterError.unreadable(message: message, reason: "its value is not Encodable")
        }
        return try encode(value)
    }

    static func decode<Value>(codable type: Value.Type, from data: Data, of message: String) throws -> Value {
        guard let type = type as? any Decodable.Type, let value = try open(type, data, message) as? Value else {
            throw ClusterError.unreadable(message: message, reason: "its value is not Decodable")
        }
        return value
    }

    private static func open<Value: Decodable>(_ type: Value.Type, _ data: Data, _ message: String) throws -> Any {
        try decode(type, from: data, of: message)
    }

    /// Checks foreign bytes before they are decoded.
    ///
    /// - Throws: ``ClusterError/unreadable(message:reason:)``.
    private static func checkText(_ bytes: Data, of message: String) throws {
        guard bytes.count <= largest else {
            throw ClusterError.unreadable(message: message, reason: "it has more than \(largest) bytes")
        }
        if let fault = ForeignText.fault(inJSON: bytes) {
            throw ClusterError.unreadable(message: message, reason: "it \(fault)")
        }
    }

    /// Checks the length of a name that a sender chooses, before it is compared.
    ///
    /// - Throws: ``ClusterError/unreadable(message:reason:)``.
    static func check(_ name: String, _ what: String, of message: String) throws {
        guard name.utf8.count > longestName else { return }
        throw ClusterError.unreadable(message: message, reason: "its \(what) has more than \(longestName) bytes")
    }

    /// The key as text that is the same in every process.
    static func text(_ key: some Encodable) throws -> String {
        if let text = key as? String { return text }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(key), as: UTF8.self)
    }
}

/// The headers that Duet writes.
enum Header {
    static let version = "Duet-Version"
    /// In place of headers that are beyond the limits.
    static let unreadable = Envelope.unreadableHeader
    static let deadline = "Duet-Deadline"
    static let principal = "Duet-Principal"
    static let authority = "Duet-Authority"
    static let token = "Duet-Write-Token"
    /// The route of the sender that waits for an outcome, and what identifies the outcome there.
    static let reply = "Duet-Reply"
    static let replyKey = "Duet-Reply-Key"
    static let key = "Duet-Idempotency-Key"
    static let outcome = "Duet-Outcome"
    static let error = "Duet-Error"
    /// The milliseconds after which a query that has failed may succeed; empty if that is not known.
    static let retryAfter = "Duet-Retry-After"
    static let message = "Duet-Message"
    static let partition = "Duet-Partition"
    static let sequence = "Duet-Sequence"
    static let node = "Duet-Node"
    static let events = "Duet-Events"
    static let reads = "Duet-Reads"
    static let writes = "Duet-Writes"

    /// The version of the headers and of what they mean, which a message of the first version does not name.
    static let currentVersion = 1
}

extension Envelope {
    /// Whether this version can read the envelope.
    var isReadable: Bool {
        headers[Header.unreadable] == nil
            && headers[Header.version].map { $0.utf8.elementsEqual("\(Header.currentVersion)".utf8) } ?? true
    }

    /// - Throws: ``ClusterError/unreadable(message:reason:)`` for an envelope of a later version, or one whose headers
    ///   were beyond the limits.
    func checkReadable(of message: String) throws {
        guard !isReadable else { return }
        var reason = "its headers are too many or too long"
        if let version = headers[Header.version] {
            reason = "its envelope has version \(version.safe(upTo: 20)), and this node reads \(Header.currentVersion)"
        }
        throw ClusterError.unreadable(message: message, reason: reason)
    }

    /// Adds what travels beside a message: the principal, and what the process's instruments propagate.
    ///
    /// - Throws: ``ClusterError/unreadable(message:reason:)`` for a principal that no node accepts.
    mutating func addContext(to message: String) throws {
        if let principal = Principal.current {
            let value = CarriedPrincipal(id: principal.id, scopes: principal.scopes.sorted())
            try value.check(for: message)
            headers[Header.principal] = (try? ClusterCoding.encode(value)).map { String(decoding: $0, as: UTF8.self) }
        }
        if let authority = Authority.current {
            try ClusterCoding.check(authority.name, "authority", of: message)
            headers[Header.authority] = try ClusterCoding.text([authority.name])
        }
        guard let context = ServiceContext.current else { return }
        InstrumentationSystem.instrument.inject(context, into: &headers, using: HeaderInjector())
    }

    /// The context in which the message is handled.
    ///
    /// - Throws: ``ClusterError/unreadable(message:reason:)`` for an invalid principal, which must not be ignored.
    func context(of message: String) throws -> TaskContext {
        var context = TaskContext()
        var service = ServiceContext.topLevel
        InstrumentationSystem.instrument.extract(headers, into: &service, using: HeaderExtractor())
        context.service = service
        if let text = headers[Header.principal] {
            let carried = try ClusterCoding.decode(CarriedPrincipal.self, from: Data(text.utf8), of: message)
            try carried.check(for: message)
            context.caller.principal = Principal(id: carried.id, scopes: Set(carried.scopes))
        }
        if let text = headers[Header.authority],
            let name = try ClusterCoding.decode([String].self, from: Data(text.utf8), of: message).first
        {
            try ClusterCoding.check(name, "authority", of: message)
            context.caller.authority = .program(name)
        }
        context.caller.isNode = true
        context.caller.isServed = true
        return context
    }

    /// The idempotency key that the sender chose, or nil.
    ///
    /// - Throws: ``ClusterError/unreadable(message:reason:)``.
    func idempotencyKey(of message: String) throws -> String? {
        guard let text = headers[Header.key] else { return nil }
        let key = try ClusterCoding.decode([String].self, from: Data(text.utf8), of: message).first
        try key.map { try ClusterCoding.check($0, "idempotency key", of: message) }
        return key
    }
}

private struct CarriedPrincipal: Codable {
    let id: String
    let scopes: [String]

    /// - Throws: ``ClusterError/unreadable(message:reason:)`` for a name that is too long.
    func check(for message: String) throws {
        try ClusterCoding.check(id, "principal", of: message)
        for scope in scopes { try ClusterCoding.check(scope, "scope", of: message) }
    }
}

private struct HeaderInjector: Injector {
    func inject(_ value: String, forKey key: String, into headers: inout [String: String]) { headers[key] = value }
}

private struct HeaderExtractor: Extractor {
    func extract(key: String, from headers: [String: String]) -> String? { headers[key] }
}
