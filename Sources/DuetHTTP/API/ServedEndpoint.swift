package import Duet
import HTTPTypes

/// An endpoint as a server handles it, independent of the server framework.
package struct ServedEndpoint: Sendable {
    /// The requirement of the authorization rule before the body is read.
    package enum Access: Sendable {
        /// No rule.
        ///
        /// Such a command must not be mounted, nor a query where principals are authenticated.
        case unspecified
        /// No principal is required.
        case open
        /// A principal is required, and the rule decides after the message was read.
        case principal
        /// Only nodes of a cluster send the message.
        case nodes
    }

    /// The declaration.
    package let endpoint: HTTPEndpoint

    /// The faults of the declaration; empty if every message can be read back as it was written.
    package let faults: [InvalidHTTPAPI.Fault]

    /// The authorization requirement.
    package let access: Access

    /// Whether the message is a ``ThirdPartyQuery``, which must not be mounted.
    package let isThirdParty: Bool

    /// The media types of the request's body: empty without a body, nil for any type.
    package let consumes: [String]?

    /// The media types of the response, for `Accept`: empty without content, nil for any type.
    package let produces: [String]?

    /// Whether the message is a command, whose response has no content.
    package var isCommand: Bool { produces?.isEmpty == true }

    /// Reads the message, applies its rule to the task's principal, dispatches it, and writes the response.
    ///
    /// Problems, invalid requests and refusals become responses.
    ///
    /// - Throws: `CancellationError` and errors of the server that must not be sent to the client.
    package let handle:
        @Sendable @concurrent (_ request: ReceivedMessage, _ dispatcher: any Dispatcher) async throws ->
            ServedResponse

    /// Observes the value of a live query; nil for other messages.
    package let live: LiveEndpoint?

    init<Message: HTTPMessage>(
        _ endpoint: HTTPEndpoint,
        _ responder: EndpointResponder<Message>,
        consumes: [String]?,
        produces: [String]?,
        faults: [InvalidHTTPAPI.Fault] = [],
        live: LiveEndpoint? = nil
    ) {
        self.live = live
        self.endpoint = endpoint
        self.faults = responder.coder.faults + faults
        isThirdParty = endpoint.message is any ThirdPartyQuery.Type
        access = responder.authorizer.access
        self.consumes = consumes
        self.produces = produces
        handle = { request, dispatcher in try await responder.respond(to: request, dispatcher) }
    }
}

/// Responds to the requests for one message type.
struct EndpointResponder<Message: HTTPMessage>: Sendable {
    let coder: MessageCoder<Message>
    let authorizer: Authorizer<Message>
    let problems: DeclaredProblems

    /// Dispatches the message and returns the response.
    let perform:
        @Sendable @concurrent (_ message: Message, _ dispatcher: any Dispatcher) async throws ->
            ServedResponse

    @concurrent
    func respond(
        to request: ReceivedMessage,
        _ dispatcher: any Dispatcher
    ) async throws -> ServedResponse {
        if let refusal = authorizer.refusal() { return refusal }
        let message: Message
        do {
            message = try coder.decode(request)
        } catch let error as HTTPMessageError {
            guard let response = ServedResponse(error) else { throw error }
            return response
        } catch let error where !(error is CancellationError) {
            // The message's type rejected the request, with a description that may not be meant for clients.
            return try problems.declaredResponse(for: error)
                ?? ServedResponse(.badRequest, "A value in the request is not valid.")
        }
        let received = ReceivedProblems()
        do {
            return try await ReceivedProblems.$current.withValue(received) {
                if let refusal = try await authorizer.refusal(of: message) { return refusal }
                if let refusal = try refusal(of: message) { return refusal }
                return try await Caller.current.admitted { try await perform(message, dispatcher) }
            }
        } catch DispatchError.timedOut {
            return .timedOut
        } catch {
            guard let response = try problems.response(for: error, received: received) else { throw error }
            return response
        }
    }

    /// The response to a message that fails its own validation.
    private func refusal(of message: Message) throws -> ServedResponse? {
        do {
            try (message as? any Validatable)?.validate()
            return nil
        } catch {
            return try problems.response(for: error) ?? ServedResponse(.unprocessableContent, "\(error)")
        }
    }
}
