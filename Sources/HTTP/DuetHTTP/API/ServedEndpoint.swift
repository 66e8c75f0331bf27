package import Duet
import DuetContext
package import HTTPTypes

/// One message of an HTTP API as a server handles it, independent of the server framework.
package final class ServedEndpoint: Sendable {
    package let message: any HTTPMessage.Type

    package let messageName: String

    package let method: HTTPRequest.Method

    /// The path relative to the base URL, with names in braces.
    package let path: String

    /// The same path with a slash in front.
    package let absolutePath: String

    /// The faults of the declaration; empty if every message can be read back as it was written.
    package let faults: [String]

    /// The callers that the rule of the message permits, so that others are refused before the body is read; nil
    /// without a rule.
    package let callers: PermittedCallers?

    /// Whether the message is a ``ThirdPartyQuery``, which must not be mounted.
    package var isThirdParty: Bool { message is any ThirdPartyQuery.Type }

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

    package convenience init?(
        _ entry: MessageAPI.Entry,
        _ settings: HTTPSettings,
        _ statuses: [SuccessStatus] = []
    ) {
        switch entry.message {
        case let command as any HTTPCommand.Type: self.init(command: command, entry, settings, statuses)
        case let query as any HTTPQuery.Type: self.init(query: query, entry, settings)
        default: return nil
        }
    }

    private convenience init<C: HTTPCommand>(
        command: C.Type,
        _ entry: MessageAPI.Entry,
        _ settings: HTTPSettings,
        _ statuses: [SuccessStatus]
    ) {
        let route = C.route
        let (ownStatus, fields) = (route.successStatus ?? .noContent, route.responseHeaders)
        let status = statuses.last { $0.message == command }?.status as? SuccessStatus.Closure<C>
        let responder = EndpointResponder<C>(entry, settings) { command, dispatcher in
            let status = try await status?(command, dispatcher) ?? ownStatus
            let version = try await CommandVersion().reached { try await dispatcher.dispatch(command) }
            var response = ServedResponse(status: status, headers: HTTPFields(fields, of: command))
            response.headers.version = version
            return response
        }
        self.init(entry, responder, consumes: C.bodyTypes, produces: [])
    }

    private convenience init<Q: HTTPQuery>(query: Q.Type, _ entry: MessageAPI.Entry, _ settings: HTTPSettings) {
        let route = Q.route
        let fields = route.responseHeaders
        let payloads = PayloadCoder<Q.Payload>(route.coding ?? settings.coding)
        let responder = EndpointResponder<Q>(entry, settings) { query, dispatcher in
            let (value, version) = try await dispatcher.versioned(query)
            var response = try payloads.response(with: Q.payload(from: value, answering: query))
            response.headers.replace(with: HTTPFields(fields, of: query))
            response.headers.version = version
            return response
        }
        self.init(
            entry,
            responder,
            consumes: route.method == .get ? [] : ["application/json"],
            produces: payloads.mediaTypes,
            faults: PayloadCoder<Q.Payload>.faults(of: Q.self, settings) + payloads.liveFaults(of: Q.self),
            live: (route.liveQuery as? LiveQuery<Q>).map {
                LiveEndpoint($0, coder: responder.coder, payloads: payloads, admission: responder.admission)
            }
        )
    }

    private init<M: HTTPMessage>(
        _ entry: MessageAPI.Entry,
        _ responder: EndpointResponder<M>,
        consumes: [String]?,
        produces: [String]?,
        faults: [String] = [],
        live: LiveEndpoint? = nil
    ) {
        message = M.self
        messageName = M.messageName
        method = M.route.method.httpMethod
        path = M.route.path
        absolutePath = "/\(path)"
        callers = entry.callers
        self.live = live
        self.faults = responder.coder.faults + faults
        self.consumes = consumes
        self.produces = produces
        handle = { request, dispatcher in try await responder.respond(to: request, dispatcher) }
    }
}

extension HTTPCommand {
    /// The media types that the command is read from: empty without a body, nil for any type.
    fileprivate static var bodyTypes: [String]? {
        if route.method == .delete { return [] }
        return (self as? any BodyCommand.Type)?.sendsBytes == true ? nil : ["application/json"]
    }
}

private struct EndpointResponder<Message: HTTPMessage>: Sendable {
    typealias Perform =
        @Sendable @concurrent (_ message: Message, _ dispatcher: any Dispatcher) async throws -> ServedResponse

    let coder: MessageCoder<Message>
    private let callers: PermittedCallers?
    let admission: Admission<Message>
    private let problems: DeclaredProblems
    private let perform: Perform

    init(_ entry: MessageAPI.Entry, _ settings: HTTPSettings, perform: @escaping Perform) {
        coder = MessageCoder(settings)
        callers = entry.callers
        // An entry has the admission of its message's type.
        admission = unsafe unsafeDowncast(entry.admission, to: Admission<Message>.self)
        problems = DeclaredProblems(of: Message.self, settings)
        self.perform = perform
    }

    @concurrent
    func respond(to request: ReceivedMessage, _ dispatcher: any Dispatcher) async throws -> ServedResponse {
        // Before a message is read, so that an unauthenticated client learns nothing else about a request.
        do { try callers?.check(.current) } catch { return ServedResponse(error) }
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
        let received = ReceivedErrors()
        do {
            return try await ReceivedErrors.$current.withValue(received) {
                try await admission.admitting(message) { try await perform(message, dispatcher) }
            }
        } catch let refusal as Refusal {
            return try response(to: refusal)
        } catch DispatchError.timedOut {
            return .timedOut
        } catch {
            guard let response = try problems.response(for: error, received: received) else { throw error }
            return response
        }
    }

    /// The response to a caller who may not send the message, or to a message that fails its own validation.
    private func response(to refusal: Refusal) throws -> ServedResponse {
        if let error = refusal.error as? AuthorizationError { return ServedResponse(error) }
        return try problems.response(for: refusal.error)
            ?? ServedResponse(.unprocessableContent, "\(refusal.error)")
    }
}
