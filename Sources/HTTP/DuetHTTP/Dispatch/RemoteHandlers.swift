import Duet
import DuetContext
import Foundation
import HTTPTypes
import ServiceContextModule
import Synchronization

/// A server and the client, settings and messages that are used with it.
struct HTTPServer {
    let baseURL: BaseURL
    let client: any HTTPClient
    let settings: HTTPSettings
    /// Measures the pauses between the connections of a live query.
    let clock: any Clock<Duration>

    /// The messages that may be sent; nil for all.
    var api: HTTPAPI?
    /// Identifies the server of a response that holds the answer of a command.
    let identity = Identity()
    let origin: TrackedOrigin

    init(baseURL: BaseURL, client: any HTTPClient, settings: HTTPSettings, clock: any Clock<Duration>) {
        self.baseURL = baseURL
        self.client = client
        self.settings = settings
        self.clock = clock
        origin = .of(baseURL)
    }

    final class Identity: Sendable {}
}

/// The handlers that send messages to one server, created when the first message of a type is dispatched.
final class RemoteHandlers: Sendable {
    private let server: HTTPServer
    /// By the type of the message `M`: a `HandlerBox<M>`.
    private let handlers = Mutex<[ObjectIdentifier: any AnyObject & Sendable]>([:])

    init(_ server: HTTPServer) {
        self.server = server
    }

    func handler<M: Message>(of type: M.Type) -> HandlerBox<M> {
        let key = ObjectIdentifier(type)
        let known = handlers.withLock { $0[key] }
        // Outside the lock, because it runs code of the message's type. Of two created at once the first is kept.
        let handler = known ?? keep(makeHandler(of: type), for: key)
        // The table stores a box under the type of the box's message, so the box found here is a `HandlerBox<M>`.
        return unsafe unsafeDowncast(handler, to: HandlerBox<M>.self)
    }

    func updates<Q: HTTPQuery>(of query: Q) -> (any Sendable)? {
        (Q.route.liveQuery as? LiveQuery<Q>)?.observed(query, server)
    }

    private func keep(_ handler: any AnyObject & Sendable, for key: ObjectIdentifier) -> any AnyObject & Sendable {
        handlers.withLock { handlers in
            let kept = handlers[key] ?? handler
            handlers[key] = kept
            return kept
        }
    }

    private func makeHandler<M: Message>(of type: M.Type) -> any AnyObject & Sendable {
        do {
            switch type {
            case let command as any HTTPCommand.Type:
                try check(command)
                return try commandHandler(of: command)
            case let query as any HTTPQuery.Type:
                return try queryBox(of: query)
            case let page as any RemotePage.Type:
                return try page.handler(self)
            default:
                throw HTTPMessageError.notAnHTTPMessage(message: M.messageName)
            }
        } catch {
            return HandlerBox(FailingHandler<M>(error: error))
        }
    }

    private func commandHandler<C: HTTPCommand>(of type: C.Type) throws -> any AnyObject & Sendable {
        guard let answered = type as? any (HTTPCommand & AnsweredCommand).Type else {
            return HandlerBox<C>(try RemoteCommandHandler<C>(server))
        }
        return try answeredHandler(of: answered)
    }

    private func answeredHandler<C: HTTPCommand & AnsweredCommand>(of type: C.Type) throws -> any AnyObject & Sendable {
        HandlerBox<C>(try RemoteAnsweredHandler<C>(server))
    }

    private func queryBox<Q: HTTPQuery>(of type: Q.Type) throws -> any AnyObject & Sendable {
        HandlerBox<Q>(try queryHandler(of: type))
    }

    func queryHandler<Q: HTTPQuery>(of type: Q.Type) throws -> RemoteQueryHandler<Q> {
        try RemoteQueryHandler(server, Result { () throws(MessageAPIError) in try check(type) })
    }

    private func check(_ type: any HTTPMessage.Type) throws(MessageAPIError) {
        guard let api = server.api, !api.endpoints.contains(where: { $0.message == type }) else { return }
        throw MessageAPIError(type, in: api.messages, over: .http)
    }
}

// MARK: Handlers

// Both handlers leave the caller's actor: a screen must not stall while a large value is encoded or decoded.

private struct RemoteCommandHandler<Message: HTTPCommand>: CommandHandler {
    private let exchange: MessageExchange<Message>

    init(_ server: HTTPServer) throws {
        exchange = try MessageExchange(server, accept: "*/*, application/problem+json")
    }

    @concurrent
    func handle(_ command: Message) async throws {
        try await exchange.send(command)
    }
}

/// Notes the content of the response as the answer.
private struct RemoteAnsweredHandler<Message: HTTPCommand & AnsweredCommand>: CommandHandler {
    private let exchange: MessageExchange<Message>
    private let contents: AnswerContents<Message.Answer.Payload>

    init(_ server: HTTPServer) throws {
        contents = AnswerContents(of: Message.Answer.self, server.settings)
        let types = contents.mediaTypes.map { "\($0), application/problem+json, */*;q=0.1" }
        exchange = try MessageExchange(server, accept: types ?? "*/*, application/problem+json")
    }

    @concurrent
    func handle(_ command: Message) async throws {
        let response = try await exchange.send(command)
        guard let answer = CommandAnswer<Message>.current, response.head.status.kind == .successful else { return }
        // The command has succeeded, whatever the content is.
        do {
            if let loss = response.loss { throw loss }
            guard !response.body.isEmpty else {
                if command.answer(from: nil) == nil, let query = located(response) { answer.note(query) }
                return
            }
            let content = try exchange.content(of: response, contents)
            guard let query = command.answer(from: content.payload) else { return }
            let version = exchange.version(response)
            answer.note(query, in: AnswerResponse(content, of: version, from: exchange.server.identity))
        } catch {
            answer.note(unreadable: error)
        }
    }
}

extension RemoteAnsweredHandler {
    /// The query that the response without content names as its `Location`.
    private func located(_ response: MessageResponse) -> Message.Answer? {
        guard let query = Message.Answer.self as? any HTTPQuery.Type,
            let location = response.head.headerFields[.location],
            let path = try? exchange.path(of: location, in: response)
        else { return nil }
        return query.located(at: path, exchange.server) as? Message.Answer
    }
}

extension HTTPQuery {
    /// The query that its route reads from an address of a server.
    fileprivate static func located(at path: String, _ server: HTTPServer) -> Self? {
        var request = server.baseURL.request(.get)
        request.path = path
        let target = RequestTarget(request)
        guard route.method == .get, let path = target.path(below: String(server.baseURL.path)),
            case .found(_, let parameters) = HTTPRouter([(.get, route.path)]).match(.get, path)
        else { return nil }
        let parts = MessageParts(parameters: parameters, query: target.query, contentType: nil, body: Data())
        return try? MessageCoder<Self>(server.settings).decode(parts)
    }
}

struct RemoteQueryHandler<Message: HTTPQuery>: QueryHandler {
    let exchange: MessageExchange<Message>
    private let contents: AnswerContents<Message.Payload>
    private let headers = Message.route.headerReading as? HeaderReading<Message>
    /// The reason why the query can only be an answer.
    private let listing: Result<Void, MessageAPIError>

    init(_ server: HTTPServer, _ listing: Result<Void, MessageAPIError>) throws {
        self.listing = listing
        contents = AnswerContents(of: Message.self, server.settings)
        let accept = "\(contents.mediaTypes ?? "*/*"), application/problem+json"
        let faults = PayloadCoder<Message.Payload>.faults(of: Message.self, server.settings)
        guard faults.isEmpty else { throw InvalidMessageAPI(faults: faults) }
        exchange = try MessageExchange(server, accept: accept, isQuery: true)
    }

    @concurrent
    func handle(_ query: Message) async throws -> sending Message.Value {
        if let held = AnswerOffer.take(query, at: exchange.server.identity),
            let content = held.content as? AnswerContent<Message.Payload>,
            // One that cannot be used does not keep the query from being sent.
            let value = try? value(from: content, answering: query)
        {
            Reading.current(of: Message.self)?.note(held.version)
            exchange.server.origin.noteRead(content.fields)
            return value
        }
        return try await load(query).value
    }

    /// Requests the value, or a later page of it.
    func load(_ query: Message, at page: String? = nil) async throws -> sending (value: Message.Value, MessageResponse)
    {
        try listing.get()
        let response = try await exchange.response(to: query, at: page)
        do {
            let value = try value(from: exchange.content(of: response, contents), answering: query)
            Reading.current(of: Message.self)?.note(exchange.version(response))
            return (value, response)
        } catch let error where !(error is CancellationError || error is HTTPFailure) {
            throw exchange.failure(.body(error), try exchange.unpacked(response))
        }
    }

    private func value(
        from content: AnswerContent<Message.Payload>,
        answering query: Message
    ) throws -> sending Message.Value {
        var value = try Message.value(from: content.payload, answering: query)
        try headers?.read(&value, content.fields)
        return value
    }
}

/// Throws the reason why messages of a type cannot be sent.
private struct FailingHandler<Message: Duet.Message>: Handler {
    let error: any Error

    func handle(_ message: Message) async throws -> Message.Value { throw error }
}
