public import Foundation
public import HTTPTypes

/// An answer that is not the success that a message asked for, with all there is to know about it.
public struct HTTPFailure: Error, Sendable {
    /// Why the answer is of no use.
    @nonexhaustive
    public enum Reason: Sendable {
        /// Its status is none of those that mean success.
        case status

        /// Its body is of another media type than the value can be read from.
        case mediaType

        /// Its body is not what was agreed on, or the mapper does not accept it.
        case body(any Error)
    }

    /// The stable name of the message.
    public let message: String

    /// Why the answer is of no use.
    public let reason: Reason

    /// Status and fields of the answer.
    public let response: HTTPResponse

    /// The body of the answer, whole.
    public let body: Data

    /// What the server says went wrong, when it said so in the terms of RFC 9457.
    public let problem: ProblemDetails?

    /// The attempts that were made, the one that ended with this answer last; none when there was only one.
    public let attempts: [HTTPAttempt]

    package init(
        message: String,
        reason: Reason,
        response: HTTPResponse,
        body: Data,
        problem: ProblemDetails? = nil,
        attempts: [HTTPAttempt] = []
    ) {
        self.message = message
        self.reason = reason
        self.response = response
        self.body = body
        self.problem = problem
        self.attempts = attempts
    }
}
