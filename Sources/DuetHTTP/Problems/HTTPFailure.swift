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

    /// The status of the answer.
    public var status: HTTPResponse.Status { response.status }

    /// The body of the answer, whole.
    public let body: Data

    /// What the server says went wrong, when it said so in the terms of RFC 9457.
    public let problem: ProblemDetails?

    /// The attempts that were made, the one that ended with this answer last; none when there was only one.
    public let attempts: [HTTPAttempt]

    /// Why the problem is not thrown as an error of a type of its own; nil when it could not be.
    let problemNote: String?

    /// What was asked: the method, and the URL as a log may have it.
    let question: String

    private let coding: HTTPCoding

    package init(
        message: String,
        request: HTTPRequest,
        reason: Reason,
        response: HTTPResponse,
        body: Data,
        problem: ProblemDetails? = nil,
        problemNote: String? = nil,
        attempts: [HTTPAttempt] = [],
        coding: HTTPCoding = HTTPCoding()
    ) {
        self.message = message
        question = "\(request.method) \(request.loggableURL)"
        self.reason = reason
        self.response = response
        self.body = body
        self.problem = problem
        self.attempts = attempts
        self.problemNote = problemNote
        self.coding = coding
    }

    /// The body as the error that an API answers with in place of a problem, read by the coding of the message.
    ///
    /// ```swift
    /// catch let failure as HTTPFailure {
    ///     throw try failure.decode(ShopError.self)
    /// }
    /// ```
    ///
    /// - Throws: ``HTTPMessageError`` with the path to the fault when the body is no JSON of this type.
    public func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try JSONCoder(coding).decode(type, from: body)
    }
}
