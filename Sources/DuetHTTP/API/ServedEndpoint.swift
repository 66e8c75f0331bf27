package import Duet

/// An endpoint as a server handles it, independent of the server framework.
package struct ServedEndpoint: Sendable {
    /// The requirement of the authorization rule before the body is read.
    package enum Access: Sendable {
        /// No rule.
        ///
        /// Such a command must not be mounted, nor a query where principals are authenticated.
        case unsaid
        /// No principal is required.
        case open
        /// A principal is required, and the rule decides after the message was read.
        case principal
    }

    /// The declaration.
    package let endpoint: HTTPEndpoint

    /// The faults of the declaration; empty if every message can be read back as it was written.
    package let faults: [InvalidHTTPAPI.Fault]

    /// The authorization requirement.
    package let access: Access

    /// Whether the message is a ``ForeignQuery``, which must not be mounted.
    package let isForeign: Bool

    /// The media types of the request's body: empty without a body, nil for any type.
    package let consumes: [String]?

    /// The media types of the response, for `Accept`: empty without content, nil for any type.
    package let produces: [String]?

    /// Whether the message is a command, whose response has no content.
    package var isCommand: Bool { produces?.isEmpty == true }

    /// Reads the message, applies its rule to the task's principal, dispatches it, and writes the response.
    ///
    /// Declared problems, invalid requests and refusals become responses.
    ///
    /// - Throws: `CancellationError` and errors of the server that must not be sent to the client.
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
