/// A declared problem that cannot be written as RFC 9457 has it.
///
/// The sender of the message is told of an inner fault instead.
public struct UnsendableProblem: Error, Hashable, Sendable {
    /// The URI reference that identifies the problem.
    public let problemType: String

    /// What is wrong with it and what it must be.
    public let reason: String
}

extension UnsendableProblem: CustomStringConvertible {
    /// The problem and what is wrong with it.
    public var description: String {
        "The problem \(problemType) cannot be sent: \(reason)."
    }
}
