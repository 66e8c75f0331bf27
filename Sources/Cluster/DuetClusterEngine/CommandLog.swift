/// Keeps commands until they are handled, in the order of each key.
///
/// Each key belongs to one partition. In a partition one command at a time is handled, in the order of the log.
/// Delivery is at least once: a command is delivered again if its node fails before it was done.
public protocol CommandLog: Sendable {
    /// The number of partitions.
    var partitionCount: Int { get }

    /// The number of the log as it is now, which is another one after the log was deleted, or lost with its servers.
    ///
    /// - Throws: `TransportError`.
    func epoch() async throws -> UInt64

    /// Adds a command at the end of its partition.
    ///
    /// When this returns, the command outlives this process and every node. A command with the identifier of an earlier
    /// one is not added again, for at least ten minutes.
    ///
    /// - Returns: The position of the command, or of the earlier one. If that was a dead letter that an operator has
    ///   retried, it is the position of the last retry.
    /// - Throws: `TransportError`; the command may have been added unless it is too large.
    func append(_ command: LoggedCommand) async throws -> Appended

    /// Handles the commands of the log, together with all nodes that do.
    ///
    /// - Parameters:
    ///   - options: The number of attempts and the time between them.
    ///   - abandoned: Is called before a command becomes a dead letter because its last attempt ended with its process.
    ///     The command is not handled again. The delivery is that of the last attempt.
    ///   - handler: Handles a command.
    /// - Throws: `TransportError`.
    func process(
        _ options: ProcessingOptions,
        abandoned: @escaping @Sendable @concurrent (Delivery) async -> Void,
        _ handler: @escaping @Sendable @concurrent (Delivery) async -> Disposition
    ) async throws -> any Registration

    /// The position up to which all commands of a partition have been handled or have become dead letters.
    ///
    /// - Throws: `TransportError`.
    func handledPosition(in partition: Int) async throws -> LogPosition

    /// The position of the last command that the log has in a partition; before the first one if it has none.
    ///
    /// - Throws: `TransportError`.
    func lastPosition(in partition: Int) async throws -> LogPosition

    /// Whether the log has a command at a position: from when it was added until some minutes after it was handled.
    ///
    /// A log without room may forget handled commands earlier. One that was removed before it was handled, or lost with
    /// its servers, is not there.
    ///
    /// - Throws: `TransportError`.
    func contains(_ id: String, at position: LogPosition) async throws -> Bool

    /// Keeps the outcome of a command that was refused, has failed for good, or has an answer, for the time in which
    /// repeats are recognized.
    ///
    /// It is called before the command is done, or becomes a dead letter. For a dead letter without an outcome, the log
    /// itself keeps `Envelope.deadLetter`. An operator's decision does not change the outcome, but a retry has
    /// another position.
    ///
    /// - Parameters:
    ///   - outcome: The encoded outcome.
    ///   - id: The identifier of the command.
    ///   - position: The position of the command.
    /// - Throws: `TransportError`.
    func keepOutcome(_ outcome: Envelope, of id: String, at position: LogPosition) async throws

    /// The outcome that was kept for a command; nil without one.
    ///
    /// - Throws: `TransportError`.
    func outcome(of id: String, at position: LogPosition) async throws -> Envelope?

    /// The commands that could not be handled.
    var deadLetters: any DeadLetters { get }

    /// The state of the log, for health checks and metrics.
    ///
    /// - Throws: `TransportError`.
    func statistics() async throws -> LogStatistics
}

/// Handles a command of the log, as in ``CommandLog/process(_:abandoned:_:)``.
package typealias DeliveryHandler = @Sendable @concurrent (Delivery) async -> Disposition

/// Is called before a command becomes a dead letter that no attempt has ended.
package typealias AbandonmentHandler = @Sendable @concurrent (Delivery) async -> Void

extension CommandLog {
    /// Handles the commands of the log, as ``process(_:abandoned:_:)`` does.
    ///
    /// - Throws: `TransportError`.
    public func process(
        _ options: ProcessingOptions,
        _ handler: @escaping @Sendable @concurrent (Delivery) async -> Disposition
    ) async throws -> any Registration {
        try await process(options, abandoned: { _ in }, handler)
    }
}

/// A command as the log keeps it.
public struct LoggedCommand: Hashable, Sendable {
    /// Identifies the command, also when it is sent again.
    public let id: String

    /// Commands with equal keys are handled in the order of the log.
    public let key: String

    /// The name of the message.
    public let message: String

    /// The encoded command and what travels beside it.
    public var envelope: Envelope

    /// Creates a command.
    public init(id: String, key: String, message: String, envelope: Envelope) {
        self.id = id
        self.key = key
        self.message = message
        self.envelope = envelope
    }

    /// The partition of a key, which is the same in every process (FNV-1a, 64 bits).
    public static func partition(of key: String, among count: Int) -> Int {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in key.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return Int(hash % UInt64(max(1, count)))
    }
}

/// The result of adding a command to a log.
public struct Appended: Hashable, Sendable {
    /// The place of the command in the log.
    public let position: LogPosition

    /// Whether the log had a command with this identifier already, so that this one was not added.
    public let isRepeat: Bool

    /// Creates a result.
    public init(position: LogPosition, isRepeat: Bool) {
        self.position = position
        self.isRepeat = isRepeat
    }
}

/// A place in the log.
public struct LogPosition: Hashable, Sendable, Codable {
    /// The partition, from 0.
    public let partition: Int

    /// Larger for each later command of the partition; 0 is before the first.
    public let sequence: UInt64

    /// Creates a position.
    public init(partition: Int, sequence: UInt64) {
        self.partition = partition
        self.sequence = sequence
    }
}

/// How a node handles the commands of a log.
public struct ProcessingOptions: Hashable, Sendable {
    /// The number of times that a command is delivered before it becomes a dead letter.
    public var attempts: Int

    /// The time after which the command of a node that has failed is delivered to another one.
    ///
    /// An engine may add up to a fifth. A command that takes longer is not delivered again as long as its node is
    /// connected.
    public var redelivery: Duration

    /// Creates options.
    ///
    /// A command that ends every process that handles it is a dead letter after attempts × redelivery: with the default
    /// options, within 30 seconds.
    public init(attempts: Int = 5, redelivery: Duration = .seconds(5)) {
        self.attempts = attempts
        self.redelivery = redelivery
    }
}

/// A command that a node is to handle.
public struct Delivery: Sendable {
    /// The command.
    public let command: LoggedCommand

    /// The place of the command in the log.
    public let position: LogPosition

    /// The number of this delivery, from 1.
    ///
    /// Attempts that ended with their process count, and those that were ``Disposition/skipped(after:)`` do not.
    public let attempt: Int

    /// The number of earlier deliveries that do not count.
    public let skipped: Int

    /// Creates a delivery.
    public init(command: LoggedCommand, position: LogPosition, attempt: Int, skipped: Int = 0) {
        self.command = command
        self.position = position
        self.attempt = attempt
        self.skipped = skipped
    }
}

/// What becomes of a command after an attempt.
public enum Disposition: Hashable, Sendable {
    /// The command is not delivered again.
    case done

    /// The command is delivered again after a delay, before the later ones of its partition.
    ///
    /// It becomes a dead letter if this was the last attempt.
    case retry(after: Duration, reason: String)

    /// As a retry, but the attempt does not count, for example because the node shut down before it ended.
    ///
    /// A node that has not skipped the command gets it first, if there is one.
    case skipped(after: Duration)

    /// The command becomes a dead letter.
    case dead(reason: String)
}

/// The state of a log.
public struct LogStatistics: Hashable, Sendable {
    /// The number of undelivered commands.
    public var waiting: Int

    /// The number of commands that are being handled, or wait for another attempt.
    public var running: Int

    /// The number of running commands that were delivered more than once.
    public var redelivered: Int

    /// The number of dead letters.
    public var deadLetters: Int

    /// Creates statistics.
    public init(waiting: Int = 0, running: Int = 0, redelivered: Int = 0, deadLetters: Int = 0) {
        self.waiting = waiting
        self.running = running
        self.redelivered = redelivered
        self.deadLetters = deadLetters
    }
}
