public import Duet
import DuetContext
public import Foundation

/// Keeps the commands of a ``CommandQueue`` until they are sent, for example in a file for the next launch.
///
/// A store contains the commands of one account. Call ``CommandQueue/removeAll()`` at sign-out, or give each account
/// its own store. Several queues can use a store, and one of them sends the commands. Functions are called
/// concurrently, and each is carried out completely or, if it throws, not at all. `CommandStoreContract` in
/// `DuetContracts` checks an implementation.
public protocol CommandStore: Sendable {
    /// Adds a command after all others.
    ///
    /// When this returns, the command outlives the process, and in a file also a power failure.
    ///
    /// - Throws: ``CommandStoreFull`` if there is no room. A store never removes a command by itself.
    func insert(_ command: StoredCommand) async throws

    /// Returns all commands in the order of insertion.
    func all() async throws -> [StoredCommand]

    /// Replaces the progress of a command.
    ///
    /// Nothing happens for an unknown identifier.
    ///
    /// - Parameters:
    ///   - id: The identifier of the command.
    ///   - attempts: The number of attempts so far.
    ///   - failure: Why the command failed; nil if it is still to be sent.
    ///   - isRetried: Whether the command was retried after it had failed.
    func update(_ id: UUID, attempts: Int, failure: String?, isRetried: Bool) async throws

    /// Removes commands, and ignores unknown identifiers.
    func remove(_ ids: [UUID]) async throws

    /// Increases ``StoredCommand/sendRequests`` of commands by one, and ignores unknown identifiers.
    func requestSending(of ids: [UUID]) async throws

    /// Removes all commands for good.
    ///
    /// A store in a file leaves no bytes of them in the file.
    func removeAll() async throws

    /// Returns the right to send the commands, or nil while another queue has it.
    func claimSending() async throws -> SendingClaim?

    /// Returns a number that each successful call of another function that changes commands increases by one.
    ///
    /// This includes the calls of other processes, and those that find nothing to change. ``removeAll()`` can change
    /// the number to any other.
    func revision() async throws -> Int

    /// Elements that arrive when the commands may have changed, and when another queue may have stopped sending.
    ///
    /// A store that does not notice what other processes do delivers elements regularly.
    var changes: AsyncStream<Void> { get }
}

/// The right to send the commands of a store, which ends with this object, and with the process.
public final class SendingClaim: Sendable {
    private let end: @Sendable () -> Void

    /// Creates a claim.
    ///
    /// - Parameter end: Ends the claim.
    public init(end: @escaping @Sendable () -> Void) {
        self.end = end
    }

    deinit { end() }
}

/// An encoded command with its place in the order of sending and its progress.
public struct StoredCommand: Hashable, Sendable, Identifiable {
    /// Identifies the command.
    public let id: UUID

    /// The name of the command, as in `App.PostComment`.
    public let name: String

    /// The version of the encoding.
    public let version: Int

    /// Commands with equal keys are sent one after the other.
    public let key: String

    /// When the command was dispatched.
    ///
    /// A store must keep this date exactly.
    public let date: Date

    /// The key that is sent with each attempt.
    public let idempotencyKey: String

    /// The principal of the dispatch, which the command is sent for; nil for an anonymous one.
    public let principal: Principal?

    /// Whether a client of this program dispatched the command, so that others see its effect when it was accepted.
    public let isServed: Bool

    /// The encoded command.
    public let bytes: Data

    /// The number of attempts so far.
    public var attempts: Int

    /// Why the command failed; nil if it is still to be sent.
    public var failure: String?

    /// Whether the command was retried after it had failed, and does not expire anymore.
    public var isRetried: Bool

    /// How often queues that do not send have asked for another attempt at once.
    public var sendRequests: Int

    /// Creates a stored command.
    public init(
        id: UUID,
        name: String,
        version: Int,
        key: String,
        date: Date,
        idempotencyKey: String,
        principal: Principal? = nil,
        isServed: Bool = false,
        bytes: Data,
        attempts: Int = 0,
        failure: String? = nil,
        isRetried: Bool = false,
        sendRequests: Int = 0
    ) {
        self.id = id
        self.name = name
        self.version = version
        self.key = key
        self.date = date
        self.idempotencyKey = idempotencyKey
        self.principal = principal
        self.isServed = isServed
        self.bytes = bytes
        self.attempts = attempts
        self.failure = failure
        self.isRetried = isRetried
        self.sendRequests = sendRequests
    }

    /// The number of bytes that count against the limit of a store: those of the command and of its texts.
    public var size: Int {
        let sender = principal.map { $0.scopes.reduce($0.id.utf8.count) { $0 + $1.utf8.count } } ?? 0
        return bytes.count + name.utf8.count + key.utf8.count + idempotencyKey.utf8.count + sender
    }
}

/// The limits of a store of commands, neither of which is exceeded.
public struct CommandStoreLimit: Hashable, Sendable {
    /// The number of commands, including failed ones.
    package let commands: Int

    /// The number of bytes, counted as in ``StoredCommand/size``.
    package let bytes: Int

    /// Creates limits, by default 1,000 commands and 16 MiB.
    public init(commands: Int = 1_000, bytes: Int = 16 * 1_024 * 1_024) {
        self.commands = commands
        self.bytes = bytes
    }

    /// Checks that there is room for a command beside `count` others of `size` bytes.
    ///
    /// - Throws: ``CommandStoreFull``.
    public func checkRoom(for command: StoredCommand, count: Int, size: Int) throws(CommandStoreFull) {
        guard count < commands, command.size <= bytes - size else {
            throw CommandStoreFull(name: command.name, limit: self)
        }
    }
}

/// The error of a command for which the store of the queue has no room.
public struct CommandStoreFull: Error, Hashable, CustomStringConvertible {
    package let name: String

    package let limit: CommandStoreLimit

    /// The command, the limits, and the remedy.
    public var description: String {
        """
        \(name) was not queued: the store has room for \(limit.commands) commands and \(limit.bytes) bytes. \
        Wait until queued commands are sent, drop failed ones, or raise the limit.
        """
    }
}
