import Duet
public import Foundation

/// The commands of a log that could not be handled, until an operator decides about them.
public protocol DeadLetters: Sendable {
    /// Returns dead letters, the oldest first.
    ///
    /// - Parameter limit: The largest number of them.
    /// - Throws: `TransportError`.
    func list(limit: Int) async throws -> [DeadLetter]

    /// Returns the dead letter whose command had a position in the log.
    ///
    /// - Returns: The dead letter; nil if the command did not become one, or an operator has decided about it.
    /// - Throws: `TransportError`.
    func find(_ position: LogPosition) async throws -> DeadLetter?

    /// Returns the dead letter with an identifier; nil for an unknown one.
    ///
    /// - Throws: `TransportError`.
    func find(_ id: String) async throws -> DeadLetter?

    /// Adds the command of a dead letter at the end of its partition, and removes the dead letter.
    ///
    /// If this fails in between, both may exist. The command keeps its identifier, so an inbox gives it one effect.
    ///
    /// - Parameters:
    ///   - id: The identifier of the dead letter.
    ///   - body: The encoded command in place of the one that could not be handled; nil for the same one.
    /// - Throws: ``UnknownDeadLetter``; `TransportError`.
    func retry(_ id: String, body: Data?) async throws

    /// Removes a dead letter.
    ///
    /// - Throws: ``UnknownDeadLetter``; `TransportError`.
    func drop(_ id: String) async throws
}

extension DeadLetters {
    /// Looks for the dead letter among all of them.
    public func find(_ id: String) async throws -> DeadLetter? { try await list(limit: .max).first { $0.id == id } }
}

/// A command that could not be handled.
public struct DeadLetter: Hashable, Sendable, Identifiable {
    /// Identifies the dead letter.
    public let id: String

    /// The command.
    public let command: LoggedCommand

    /// The place that the command had in the log.
    public let position: LogPosition

    /// The number of times that the command was delivered.
    public let attempts: Int

    /// Why the command could not be handled.
    public let reason: String

    /// When the command became a dead letter.
    public let date: Date

    /// Creates a dead letter.
    public init(id: String, command: LoggedCommand, position: LogPosition, attempts: Int, reason: String, date: Date) {
        self.id = id
        self.command = command
        self.position = position
        self.attempts = attempts
        self.reason = reason
        self.date = date
    }
}

/// The error of an identifier that no dead letter has.
public struct UnknownDeadLetter: Error, Hashable, CustomStringConvertible {
    package let id: String

    /// Creates an error.
    public init(id: String) {
        self.id = id
    }

    /// The identifier, and what to do.
    public var description: String { "There is no dead letter \(id.safe()). List them to see their identifiers." }
}
