public import Duet
import Foundation

/// A rule of a queue of commands: ``Enqueue``.
public struct QueueRule: Sendable, CustomStringConvertible {
    let command: ObjectIdentifier
    let name: String
    let options: EnqueueOptions
    let faults: [String]
    /// Returns a command as it is stored, with everything that its rule determines.
    let encode: @Sendable (_ command: any Command) throws -> EncodedCommand
    let decode: @Sendable (_ stored: StoredCommand) throws -> any Command

    /// The rule in words.
    public let description: String

    init<C>(_ rule: Enqueue<C>) {
        command = ObjectIdentifier(C.self)
        name = C.messageName
        options = rule.options
        faults = rule.faults
        encode = { try rule.encode($0) }
        decode = { try rule.decode($0) }
        description = rule.description
    }
}

/// The encoding of a command, with its order.
struct EncodedCommand {
    let version: Int
    let key: String
    let bytes: Data
}

extension ListBuilder where Element == QueueRule {
    /// Adds the rule that commands are queued.
    public static func buildExpression<C>(_ rule: Enqueue<C>) -> [QueueRule] { [QueueRule(rule)] }
}

/// An error that lists the faults of the rules of a queue.
public struct InvalidQueueRules: Error, Hashable, CustomStringConvertible {
    package let faults: [String]

    /// The faults, one per line.
    public var description: String {
        (["The commands cannot be queued:"] + faults.map { "- \($0)" }).joined(separator: "\n")
    }

    init?(_ rules: [QueueRule], _ queue: CommandQueue, _ base: any Dispatcher) {
        var faults = rules.flatMap(\.faults)
        var seen: Set<ObjectIdentifier> = []
        for rule in rules where !seen.insert(rule.command).inserted {
            faults.append("\(rule.name) has two Enqueue rules. Keep one.")
        }
        faults += namingFaults(of: rules.map { ($0.command, $0.name) })
        if rules.isEmpty { faults.append("Nothing is queued. Add an Enqueue rule for a command, or remove the queue.") }
        if queue.isInUse {
            faults.append("The queue is in use by another dispatcher. Use that one, or create another queue.")
        }
        if base.wrapped(CachingDispatcher.self) != nil {
            faults.append(
                """
                The cache would carry out its rules without the queue. Put the queue behind it: \
                .queueing(in: queue) { … }.caching(in: …) { … }.
                """
            )
        }
        guard !faults.isEmpty else { return nil }
        self.faults = faults
    }
}
