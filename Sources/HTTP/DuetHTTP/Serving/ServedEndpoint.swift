package import Duet
package import DuetContext
package import HTTPTypes

/// One message of an HTTP API as a server handles it, independent of the server framework.
package final class ServedEndpoint: Sendable {
    package let message: any HTTPMessage.Type

    package let messageName: String

    package let method: HTTPRequest.Method

    /// The path relative to the base URL, with names in braces.
    package let path: String

    /// The faults of the declaration; empty if every message can be read back as it was written.
    package let faults: [String]

    /// The callers that the rule of the message permits, so that others are refused before the body is read; nil
    /// without a rule.
    package let callers: PermittedCallers?

    /// The media types of the request's body: empty without a body, nil for any type.
    package let consumes: [String]?

    /// The media types of the response, for `Accept`: empty without content, nil for any type.
    package let produces: [String]?

    /// Whether responses have links to the server.
    let isLinking: Bool

    /// Whether the message is a command.
    package let isCommand: Bool

    /// The query whose value is the content of the response to the command; nil without an answer.
    let answeringQuery: MessageAPI.Entry?

    /// Whether a dispatcher reports the changes of the query; nil for a message that is not live.
    package let isReported: (@Sendable (_ dispatcher: any Dispatcher) -> Bool)?

    private let respond:
        @Sendable @concurrent (MessageParts, TaskContext, any Dispatcher, ContentRequest, DataUse?) async throws ->
            Outcome

    /// A response, and the events of its value and the changes if they are observed.
    package struct Outcome: Sendable {
        package var response: ServedResponse
        package var events: (first: EncodedEvent, changes: QueryStates<EncodedEvent>)?
        /// The load of the content of the response to a command.
        var answerUse: DataUse?
        /// Why the response to a successful command has no content.
        var failure: (any Error)?
        /// Gives the response to a command its content.
        fileprivate var completion: Completion?
    }

    /// Changes the response to a successful command, after its admission, and returns the load of its content.
    typealias Completion =
        @Sendable @concurrent (inout ServedResponse, any Dispatcher, TaskContext, _ hasContent: Bool) async throws ->
        DataUse?

    /// The content that a client asks for.
    package struct ContentRequest: Sendable {
        package enum Kind: Sendable {
            case value
            /// The value, and its changes.
            case changes
            /// Nothing that the response can do without.
            case minimal
        }

        let kind: Kind
        /// The beginning of links; nil if there are none.
        let address: String?

        package init(_ kind: Kind = .value, address: String? = nil) {
            self.kind = kind
            self.address = address
        }
    }

    /// Has the message read, accepted and handled, and writes the response.
    ///
    /// Problems, invalid requests and refusals become responses.
    ///
    /// - Parameter use: Notes what the handler reads and writes.
    /// - Throws: `CancellationError` and errors of the server that must not be sent to the client.
    @inline(__always)
    package func answer(
        to parts: MessageParts,
        _ dispatcher: any Dispatcher,
        in context: TaskContext,
        content: ContentRequest = ContentRequest(),
        _ use: DataUse? = nil
    ) async throws -> Outcome {
        try await respond(parts, context, dispatcher, content, use)
    }

    /// - Parameter entries: The messages of the list, of which one may answer a command.
    package convenience init?(
        _ entry: MessageAPI.Entry,
        _ settings: HTTPSettings,
        _ statuses: [SuccessStatus] = [],
        of entries: [MessageAPI.Entry] = [],
        keepsContents: Bool = true
    ) {
        switch entry.message {
        case let command as any HTTPCommand.Type:
            if let answered = command as? any (HTTPCommand & AnsweredCommand).Type,
                let query = answered.answeringQuery(in: entries)
            {
                self.init(answered: answered, by: query, entry, settings, statuses)
            } else {
                self.init(command: command, entry, settings, statuses)
            }
        case let query as any HTTPQuery.Type: self.init(query: query, entry, settings, keepsContents)
        default: return nil
        }
    }

    private convenience init<C: HTTPCommand>(
        command: C.Type,
        _ entry: MessageAPI.Entry,
        _ settings: HTTPSettings,
        _ statuses: [SuccessStatus]
    ) {
        let success = CommandResponse(to: command, .noContent, statuses)
        let responder = EndpointResponder<C>(entry, settings) { command, dispatcher, _ in
            var response = try await success.response(to: command, dispatcher)
            response.headers.version = try await CommandVersion().reached { try await dispatcher.dispatch(command) }
            return Outcome(response: response)
        }
        self.init(entry, responder, consumes: C.bodyTypes, produces: [], isCommand: true)
    }

    private convenience init<C: HTTPCommand & AnsweredCommand>(
        answered command: C.Type,
        by query: MessageAPI.Entry,
        _ entry: MessageAPI.Entry,
        _ settings: HTTPSettings,
        _ statuses: [SuccessStatus]
    ) {
        let success = CommandResponse(to: command, .ok, statuses)
        let answer = ServedAnswer<C>(query, settings)
        let responder = EndpointResponder<C>(entry, settings) { command, dispatcher, content in
            var response = try await success.response(to: command, dispatcher)
            let completion: Completion
            (response.headers.version, completion) = try await answer.noted(command, at: content.address) {
                try await CommandVersion().reached { try await dispatcher.dispatch(command) }
            }
            return Outcome(response: response, completion: response.mayHaveContent ? completion : nil)
        }
        self.init(
            entry,
            responder,
            consumes: C.bodyTypes,
            produces: success.mayHaveContent ? answer.mediaTypes : [],
            faults: answer.faults,
            isCommand: true,
            answeringQuery: query
        )
    }

    private convenience init<Q: HTTPQuery>(
        query: Q.Type,
        _ entry: MessageAPI.Entry,
        _ settings: HTTPSettings,
        _ keepsContents: Bool
    ) {
        let route = Q.route
        let fields = route.responseHeaders
        let encoding = QueryEncoding<Q>(settings, keepsContents: keepsContents)
        let live = route.liveQuery as? LiveQuery<Q>
        let receiver = MessageReceiver<Q>(entry)
        let responder = EndpointResponder<Q>(entry, settings) { query, dispatcher, content in
            let (value, version, kept) = try await dispatcher.served(query)
            let encoded = try await encoding.content(with: value, answering: query, kept, at: content.address)
            var response = encoded.response
            response.headers.replace(with: HTTPFields(fields, of: query))
            response.headers.version = version
            guard content.kind == .changes else { return Outcome(response: response) }
            var context = TaskContext.current
            let caller = context.caller
            // The changes come later than the response.
            context.service?.deadline = nil
            // The message has been accepted, and is checked again for each later value.
            let check: LiveQuery<Q>.Check = { try await receiver.admission.admit(query, of: caller) }
            let keepsValues = dispatcher.keepsValues(of: Q.self)
            let events = context.run {
                live?.served(query, dispatcher, check) { value, kept in
                    let kept = keepsValues ? kept : nil
                    // The stream is read elsewhere.
                    return try await caller.run {
                        try await encoding.event(
                            of: encoding.content(with: value, answering: query, kept, at: content.address)
                        )
                    }
                }
            }
            guard let events else { return Outcome(response: response) }
            return Outcome(response: response, events: (try await encoding.event(of: encoded), events))
        }
        self.init(
            entry,
            responder,
            consumes: route.method == .get ? [] : route.bodyTypes,
            produces: encoding.mediaTypes,
            faults: PayloadCoder<Q.Payload>.faults(of: Q.self, settings),
            isReported: live?.isReported
        )
    }

    private init<M: HTTPMessage>(
        _ entry: MessageAPI.Entry,
        _ responder: EndpointResponder<M>,
        consumes: [String]?,
        produces: [String]?,
        faults: [String] = [],
        isCommand: Bool = false,
        answeringQuery: MessageAPI.Entry? = nil,
        isReported: (@Sendable (any Dispatcher) -> Bool)? = nil
    ) {
        message = M.self
        messageName = M.messageName
        method = M.route.method.httpMethod
        path = M.route.path
        callers = entry.callers
        self.isCommand = isCommand
        self.answeringQuery = answeringQuery
        self.isReported = isReported
        isLinking = (answeringQuery?.message ?? M.self) is any LinkingQuery.Type
        self.faults = responder.coder.faults + faults
        self.consumes = consumes
        self.produces = produces
        respond = { try await responder.respond(to: $0, in: $1, $2, $3, $4) }
    }
}

extension HTTPCommand {
    /// The media types that the command is read from: empty without a body, nil for any type.
    fileprivate static var bodyTypes: [String]? {
        if route.method == .delete { return [] }
        return (self as? any BodyCommand.Type)?.sendsBytes == true ? nil : route.bodyTypes
    }
}

extension HTTPRoute {
    fileprivate var bodyTypes: [String] { [isForm ? MessageParts.formMediaType : "application/json"] }
}

/// The response to a successful command, without an answer.
private struct CommandResponse<C: HTTPCommand>: Sendable {
    private let ownStatus: HTTPResponse.Status
    private let status: SuccessStatus.Closure<C>?
    private let fields = C.route.responseHeaders

    init(to command: C.Type, _ usual: HTTPResponse.Status, _ statuses: [SuccessStatus]) {
        ownStatus = C.route.successStatus ?? usual
        status = statuses.last { $0.message == command }?.status as? SuccessStatus.Closure<C>
    }

    var mayHaveContent: Bool { status != nil || ServedResponse(status: ownStatus).mayHaveContent }

    /// Computes the response before the command is handled.
    func response(to command: C, _ dispatcher: any Dispatcher) async throws -> ServedResponse {
        let status = try await status?(command, dispatcher) ?? ownStatus
        return ServedResponse(status: status, headers: HTTPFields(fields, of: command))
    }
}

private struct EndpointResponder<Message: HTTPMessage>: Sendable {
    typealias Perform =
        @Sendable @concurrent (Message, any Dispatcher, ServedEndpoint.ContentRequest) async throws ->
        ServedEndpoint.Outcome

    let coder: MessageCoder<Message>
    private let receiver: MessageReceiver<Message>
    private let problems: DeclaredProblems
    private let perform: Perform

    init(_ entry: MessageAPI.Entry, _ settings: HTTPSettings, perform: @escaping Perform) {
        coder = MessageCoder(settings)
        receiver = MessageReceiver(entry)
        problems = DeclaredProblems(of: Message.self, settings, entry.errors)
        self.perform = perform
    }

    @concurrent
    func respond(
        to parts: MessageParts,
        in context: TaskContext,
        _ dispatcher: any Dispatcher,
        _ content: ServedEndpoint.ContentRequest,
        _ use: DataUse?
    ) async throws -> ServedEndpoint.Outcome {
        var outcome: ServedEndpoint.Outcome?
        do {
            try await receiver.receive(in: context, declared: problems.all) {
                try coder.decode(parts)
            } handle: { message in
                outcome = try await DataUse.run(use) { try await perform(message, dispatcher, content) }
            }
        } catch {
            return ServedEndpoint.Outcome(response: try problems.response(to: error))
        }
        guard var outcome else { return ServedEndpoint.Outcome(response: .canceled) }
        guard let completion = outcome.completion else { return outcome }
        var context = context
        // The key is the command's.
        context.service?.idempotencyKey = nil
        do {
            outcome.answerUse = try await completion(&outcome.response, dispatcher, context, content.kind != .minimal)
        } catch {
            // The command has succeeded, so its sender must not repeat it.
            outcome.failure = error
        }
        return outcome
    }
}
