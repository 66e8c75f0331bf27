import DuetContext
public import Foundation
public import HTTPTypes

/// A response that is not the success that a message expects.
///
/// It is thrown for every such response that is not a declared ``HTTPProblem``.
public struct HTTPFailure: Error {
    /// Why a response cannot be used.
    @nonexhaustive
    public enum Reason: Sendable {
        /// Its status does not mean success.
        case status

        /// Its body has another media type than the expected one.
        case mediaType

        /// Its body could not be decoded, or the query rejected the payload.
        case body(any Error)
    }

    /// The stable name of the message.
    public let message: String

    /// Why the response cannot be used.
    public let reason: Reason

    /// The status and the fields of the response.
    public let response: HTTPResponse

    /// The status of the response.
    public var status: HTTPResponse.Status { response.status }

    /// The complete body of the response.
    public let body: Data

    /// The problem in the body (RFC 9457), if there is one.
    public let problem: ProblemDetails?

    /// The attempts, ending with the one that got this response; empty if there was only one.
    public let attempts: [HTTPAttempt]

    /// Why the problem is not thrown as a typed error; nil if there is nothing to do about it.
    private let problemNote: String?

    /// The method and the loggable URL of the request.
    private let target: String

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
        target = "\(request.method) \(request.loggableURL)"
        self.reason = reason
        self.response = response
        self.body = body
        self.problem = problem
        self.attempts = attempts
        self.problemNote = problemNote
        self.coding = coding
    }

    /// Decodes the body as the error of an API with its own error format, by the coding of the message.
    ///
    /// The operator `decodingErrors(as:)` of a dispatcher throws such errors in place of the failures with them.
    ///
    /// - Throws: ``HTTPMessageError`` with the path to the fault if the body is not JSON of this type.
    public func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try JSONCoder(coding).decode(type, from: body)
    }
}

// MARK: Description

extension HTTPFailure: DescribedError {
    /// The message, the status, the request and the problem in one line, with advice where there is any.
    ///
    /// The URL consists of scheme, host and path as they were sent, without user information and query. Of the body,
    /// only the text of a problem is included.
    public var description: String { description(of: " to \(target)") }

    /// The ``description`` without the URL, for places where a path with its values does not belong.
    package var descriptionWithoutURL: String { description(of: "") }

    private func description(of target: String) -> String {
        let phrase = response.status.reasonPhrase.loggable
        let outcome =
            "\(message): the server responded with \(response.status.code)" + (phrase.isEmpty ? "" : " \(phrase)")
            + target + (attempts.count > 1 ? " after \(attempts.count) attempts" : "")
        return switch reason {
        case .status:
            outcome + (problem.flatMap { $0.detail ?? $0.title }.map { ": \($0.loggable)." } ?? ".")
                + ((problemNote ?? statusNote).map { " \($0)" } ?? "")
        case .mediaType:
            "\(outcome), but in \(mediaType), which is not JSON."
        case .body(let error):
            "\(outcome), but its body is invalid: \(Self.text(of: error))."
        }
    }

    private var mediaType: String { (response.headerFields[.contentType] ?? "no media type").loggable }

    /// Advice about a response with this status, if there is any.
    private var statusNote: String? {
        if response.isRedirect {
            return "It redirects to another address. Add followingRedirects() to the client to follow it."
        }
        guard problem == nil, looksLikeProblem else { return nil }
        return """
            Its body looks like a problem (RFC 9457), which must be sent as application/problem+json, \
            not as \(mediaType).
            """
    }

    /// Whether the body is a problem except for its media type.
    private var looksLikeProblem: Bool {
        guard body.count <= ProblemDetails.maximumSize,
            MediaType(response.headerFields[.contentType])?.essence != ProblemDetails.mediaType,
            ForeignText.fault(inJSON: body) == nil,
            let members = try? JSONDecoder().decode([String: JSONValue].self, from: body)
        else { return false }
        return members["status"] != nil && (members["type"] ?? members["title"]) != nil
    }

    private static func text(of error: any Error) -> String {
        // The description of a `DecodingError` is long and names the types of keys.
        let error = (error as? DecodingError).map { HTTPMessageError($0) } ?? error
        return "\(error)".loggable
    }
}
