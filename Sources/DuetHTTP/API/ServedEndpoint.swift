package import Duet
package import Foundation
package import HTTPTypes

/// An endpoint in an API: what a server does with a request for it, whichever server that is.
package struct ServedEndpoint: Sendable {
    /// What the rule of the message asks for before anything of the body is read.
    package enum Access: Sendable {
        /// Nobody said who may have it handled: a command with this must not be mounted.
        case unsaid
        /// Strangers too.
        case open
        /// A principal, on whom the rule decides when the message has been read.
        case principal
    }

    /// The declaration.
    package let endpoint: HTTPEndpoint

    /// What is wrong with the declaration; empty when every message can be read back as it was written.
    package let faults: [InvalidHTTPAPI.Fault]

    /// Who may have it handled.
    package let access: Access

    /// The media types that the body is read from: empty for no body, nil for any type.
    package let consumes: [String]?

    /// The media types of the answer, for `Accept`: empty for no content, nil when only the answer tells.
    package let produces: [String]?

    /// Reads the message, applies its rule to the task's principal, has it handled, and writes what comes of it.
    ///
    /// Declared problems, faults of the request and refusals are answers.
    ///
    /// - Throws: `CancellationError`, and what is the server's own affair and must not be told to the sender.
    package let handle:
        @Sendable @concurrent (_ request: ReceivedMessage, _ dispatcher: any CommandQueryDispatcher) async throws ->
            HTTPAnswer

    package init(
        endpoint: HTTPEndpoint,
        faults: [InvalidHTTPAPI.Fault],
        access: Access,
        consumes: [String]?,
        produces: [String]?,
        handle:
            @escaping @Sendable @concurrent (_ request: ReceivedMessage, _ dispatcher: any CommandQueryDispatcher) async throws ->
            HTTPAnswer
    ) {
        self.endpoint = endpoint
        self.faults = faults
        self.access = access
        self.consumes = consumes
        self.produces = produces
        self.handle = handle
    }
}

/// What a server answers with.
package struct HTTPAnswer: Hashable, Sendable {
    package var status: HTTPResponse.Status

    /// All fields but the length and the entity tag.
    package var headers: HTTPFields

    /// The content; nil for none.
    package var body: Data?

    /// The strong entity tag that the value brought with it, without quotes; nil when the server is to make one of the content.
    package var entityTag: String?

    package init(status: HTTPResponse.Status, headers: HTTPFields = [:], body: Data? = nil, entityTag: String? = nil) {
        self.status = status
        self.headers = headers
        self.body = body
        self.entityTag = entityTag
    }

    /// A problem as an answer (RFC 9457).
    package init(_ problem: ProblemDetails, status: HTTPResponse.Status, headers: HTTPFields = [:]) {
        self.init(status: status, headers: headers)
    }
}
