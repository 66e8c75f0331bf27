public import Duet
public import Foundation

/// The rule that a command is put into a ``CommandQueue`` and sent later.
///
/// ```swift
/// Enqueue(PostComment.self, version: 1, inOrderOf: \.imageID)
/// ```
///
/// Commands of one key are sent one after the other, in dispatch order, and those of different keys concurrently. A
/// cache in front of the queue carries out its rules when a command has been sent or has failed. See
/// <doc:QueuedCommands> for the order and the options, ``waitingForFailedCommands()`` and ``expiring(after:)``.
public struct Enqueue<C: Command & Codable>: Sendable {
    let version: Int
    let key: @Sendable (C) throws -> String
    let upgrade: (@Sendable (_ bytes: Data, _ version: Int) throws -> C)?
    private(set) var options = EnqueueOptions()
    private let order: String

    /// Queues commands, and sends all of the type in one order.
    ///
    /// - Parameters:
    ///   - command: The type of the command.
    ///   - version: The version of the encoding. Increase it when the command changes its meaning.
    ///   - upgrade: Decodes a command of another version, from JSON. Without it, such a command fails.
    public init(
        _ command: C.Type,
        version: Int,
        upgrading upgrade: (@Sendable (_ bytes: Data, _ version: Int) throws -> C)? = nil
    ) {
        self.version = version
        self.upgrade = upgrade
        key = { _ in C.messageName }
        order = "in one order"
    }

    /// Queues commands, and sends those of one key in order.
    ///
    /// `key` returns the key of a command. Its JSON must be the same at each launch; that of a `Set` is not. The other
    /// parameters are those of ``Enqueue/init(_:version:upgrading:)``.
    public init<Key: Hashable & Encodable & Sendable>(
        _ command: C.Type,
        version: Int,
        inOrderOf key: @escaping @Sendable (_ command: C) -> Key,
        upgrading upgrade: (@Sendable (_ bytes: Data, _ version: Int) throws -> C)? = nil
    ) {
        self.version = version
        self.upgrade = upgrade
        self.key = { try QueryCoding.text(key($0)) }
        order = "in the order of its key"
    }
}

/// The options of an ``Enqueue`` rule, which also apply to the commands of earlier launches.
struct EnqueueOptions {
    /// Whether a command waits while an earlier one of its key has failed.
    var waitsForFailed = false
    /// The age at which a command is not sent anymore.
    var lifetime: Duration?
}

extension Enqueue {
    /// Lets a command wait while an earlier command of its key has failed or cannot be read.
    ///
    /// The state of the command is then ``QueuedCommand/State/blocked(by:)``. It is sent after the failed command was
    /// retried and sent, or dropped.
    public func waitingForFailedCommands() -> Enqueue {
        var rule = self
        rule.options.waitsForFailed = true
        return rule
    }

    /// Lets a command fail that has not been sent some time after its dispatch.
    ///
    /// It stays in the list as failed, its optimistic changes are withdrawn, and a retry sends it nevertheless.
    /// A command that was retried no longer expires.
    ///
    /// - Parameter age: The time after which no attempt begins. It must be positive.
    public func expiring(after age: Duration) -> Enqueue {
        var rule = self
        rule.options.lifetime = age
        return rule
    }

    var faults: [String] {
        guard let lifetime = options.lifetime, lifetime <= .zero else { return [] }
        return ["\(C.messageName) would expire at once: after \(lifetime.text). Choose a positive time."]
    }
}

extension Enqueue: CustomStringConvertible {
    /// The rule in words.
    public var description: String {
        var parts = ["\(C.messageName) is queued and sent \(order), stored with version \(version)"]
        if options.waitsForFailed { parts.append("waits for failed commands of its key") }
        if let lifetime = options.lifetime { parts.append("expires after \(lifetime.text)") }
        return parts.joined(separator: ", ")
    }
}

extension Enqueue {
    func encode(_ command: any Command) throws -> EncodedCommand {
        guard let command = command as? C else { throw DispatchError.handlerNotFound(message: C.messageName) }
        return EncodedCommand(version: version, key: try key(command), bytes: try QueryCoding.encode(command))
    }

    /// - Throws: ``UnreadableCommand``.
    func decode(_ stored: StoredCommand) throws -> any Command {
        do {
            if stored.version == version { return try QueryCoding.decode(C.self, from: stored.bytes) }
            guard let upgrade else {
                throw UnreadableCommand(
                    reason: "it has version \(stored.version), and the Enqueue rule has version \(version)"
                )
            }
            return try upgrade(stored.bytes, stored.version)
        } catch let error as UnreadableCommand {
            throw error
        } catch {
            throw UnreadableCommand(reason: "its encoding is not that of \(stored.name): \(error)")
        }
    }
}

extension QueryCoding {
    /// Returns a key as text: a string itself, another value as JSON.
    fileprivate static func text(_ key: some Encodable) throws -> String {
        if let key = key as? String { return key }
        let json = try encode(key)
        return (try? decode(String.self, from: json)) ?? String(decoding: json, as: UTF8.self)
    }
}
