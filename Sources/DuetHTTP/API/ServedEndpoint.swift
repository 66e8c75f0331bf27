package import Duet

/// An endpoint in an API: what a server does with a request for it, whichever server that is.
package struct ServedEndpoint: Sendable {
    /// What the rule of the message asks for before anything of the body is read.
    package enum Access: Sendable {
        /// Nobody said who may have it handled: a command with this must not be mounted, nor a query where there are
        /// principals.
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

    /// Whether only somebody else can answer it: it must not be mounted.
    package let isForeign: Bool

    /// The media types that the body is read from: empty for no body, nil for any type.
    package let consumes: [String]?

    /// The media types of the answer, for `Accept`: empty for no content, nil when only the answer tells.
    package let produces: [String]?

    /// Whether it changes something: a command answers with no content.
    package var isCommand: Bool { produces?.isEmpty == true }

    /// Reads the message, applies its rule to the task's principal, has it handled, and writes what comes of it.
    ///
    /// Declared problems, faults of the request and refusals are answers.
    ///
    /// - Throws: `CancellationError`, and what is the server's own affair and must not be told to the sender.
    package let handle:
        @Sendable @concurrent (_ request: ReceivedMessage, _ dispatcher: any CommandQueryDispatcher) async throws ->
            HTTPAnswer

    init<Message: HTTPMessage>(
        _ endpoint: HTTPEndpoint,
        _ service: Service<Message>,
        consumes: [String]?,
        produces: [String]?,
        faults: [InvalidHTTPAPI.Fault] = []
    ) {
        self.endpoint = endpoint
        self.faults = service.coder.faults + faults
        isForeign = endpoint.message is any ForeignQuery.Type
        access = service.gate.access
        self.consumes = consumes
        self.produces = produces
        handle = { request, dispatcher in try await service.answer(request, dispatcher) }
    }
}
