import Duet
import DuetContext
import Foundation
import HTTPTypes
import ServiceContextModule

/// Sends the messages of one type and distinguishes success from failure.
struct MessageExchange<Message: HTTPMessage>: Sendable {
    /// Stored, because deriving the name from the type takes longer than everything else that is done for a request.
    let name = Message.messageName
    /// Determined once, because a cast of each message costs more than encoding a property.
    private let validates: Bool
    let server: HTTPServer
    private let origin: HTTPOrigin?
    private let coder: MessageCoder<Message>
    private let coding: HTTPCoding
    private let problems: DeclaredProblems
    private let conflicts: RouteConflicts
    private let pathTemplate: String
    private let bypassedDecorators: [any HTTPClientDecorator.Type]
    private let acceptedStatuses: Set<Int>
    private let isQuery: Bool
    private let isSafePost: Bool
    /// The parts that all requests have in common.
    private let request: HTTPRequest
    /// The same with the fields of messages that add none.
    private let usualRequest: HTTPRequest

    /// - Parameter isQuery: Whether the messages change nothing, so that a request may be sent again.
    /// - Throws: ``/Duet/InvalidMessageAPI`` when the type cannot be an HTTP request.
    init(_ server: HTTPServer, accept: String, isQuery: Bool = false) throws {
        self.server = server
        let route = Message.route
        let method = route.method.httpMethod
        (pathTemplate, bypassedDecorators) = (route.path, route.bypassedDecorators)
        validates = Message.self is any Validatable.Type
        self.isQuery = isQuery
        isSafePost = isQuery && method == .post
        coding = route.coding ?? server.settings.coding
        coder = MessageCoder(server.settings)
        origin = server.baseURL.origin
        let errors = server.api?.messages.errors(of: Message.self) ?? []
        problems = DeclaredProblems(of: Message.self, server.settings, errors)
        conflicts = RouteConflicts(of: Message.self, in: server.api)
        let faults = coder.faults + DeclaredProblems.faults(of: [Message.self], server.settings, errors)
        guard faults.isEmpty else { throw InvalidMessageAPI(faults: faults) }
        acceptedStatuses = route.acceptedStatuses ?? server.settings.acceptedStatuses
        var request = server.baseURL.request(method)
        request.headerFields[.accept] = accept
        self.request = request
        request.headerFields.replace(with: coder.usualHeaders)
        usualRequest = request
    }

    /// Sends a command, with the key of the task's commands unless the command sets one itself.
    ///
    /// - Throws: As ``response(to:at:)``.
    @discardableResult
    func send(_ command: Message) async throws -> MessageResponse {
        var (request, encoded) = try prepare(command)
        guard !encoded.headers.contains(.idempotencyKey) else {
            return note(try await response(to: request, encoded))
        }
        let content = { [encoded] in Data((encoded.path + "\0").utf8) + (encoded.body ?? Data()) }
        return try await withSendingKey(of: name, content()) { key in
            request.headerFields[.idempotencyKey] = try key.map(checked)
            return note(try await response(to: request, encoded))
        }
    }

    private func note(_ response: MessageResponse) -> MessageResponse {
        CommandVersion.current?.note(version(response))
        return response
    }

    /// Sends a message and returns its response, whose status means success.
    ///
    /// - Parameter page: The path and query of a later page, sent as they are.
    /// - Throws: A declared problem or an ``HTTPFailure`` for any other status; the errors of the coder and the client.
    func response(to message: Message, at page: String? = nil) async throws -> MessageResponse {
        var (request, encoded) = try prepare(message)
        if let page { request.path = page }
        let reading = Reading.current(of: Message.self)
        if reading?.mode.kind == .fresh
            || !request.headerFields.contains(.cacheControl)
                && (reading?.needsServer == true || AnswerOffer.isLoading(message))
        {
            // Caches on the way may not know that the value has changed.
            request.headerFields.append(HTTPField(name: .cacheControl, value: "no-cache"))
        }
        return try await response(to: request, encoded)
    }

    /// The request that a response is to, with the fields of all.
    func request(of response: MessageResponse) -> HTTPRequest {
        var request = request
        request.path = response.path
        return request
    }

    /// The path and query of an address that a response names, at the same origin.
    func path(of reference: String, in response: MessageResponse) throws(InvalidPage) -> String {
        guard let url = URL(string: reference, relativeTo: request(of: response).url)?.absoluteURL else {
            throw InvalidPage(reason: "is not a URL: \(reference.loggable)")
        }
        let next = HTTPRequest(method: .get, url: url)
        guard let origin, HTTPOrigin(next) == origin else {
            throw InvalidPage(reason: "has another origin: \(next.loggableURL)")
        }
        return next.path ?? "/"
    }

    /// The version of the server's cache that a response has.
    func version(_ response: MessageResponse) -> CacheVersion? {
        response.head.headerFields.version?.bound(to: origin)
    }

    private func response(to request: HTTPRequest, _ encoded: EncodedMessage) async throws -> MessageResponse {
        let attempts = AttemptLog()
        // Captured one by one: creating a closure that captures the whole exchange would take longer than the request.
        let (client, sent, content) = (server.client, request, encoded.body)
        // The task's deadline applies even if no decorator enforces it.
        let deadline = ServiceContext.current?.deadline
        let (head, body, loss): (HTTPResponse, Data, (any Error)?)
        do {
            (head, (body, loss)) = try await options(for: request, attempts).use {
                guard let deadline else { return try await client.content(for: sent, body: content) }
                return try await deadline.enforce(deadline.remaining, over: sent) {
                    try await client.content(for: $0, body: content)
                }
            }
        } catch {
            if !isQuery, !(error is TokenUnavailable), (error as? HTTPClientError)?.isUnsent != true {
                server.origin.noteWrite(nil)
            }
            throw error
        }
        let response = MessageResponse(path: request.path, head: head, body: body, loss: loss, attempts: attempts)
        if !isQuery {
            // An earlier attempt may have changed something else.
            let isWhole = loss == nil && attempts.attempts.dropLast().allSatisfy(\.isUnsent)
            server.origin.noteWrite(isWhole ? head.headerFields : nil, version(response))
        } else {
            server.origin.noteRead(head.headerFields)
        }
        guard !acceptedStatuses.contains(head.status.code) else { return response }
        throw error(response)
    }

    /// Sends a query and returns the head of its response, whose status means success, and the body to be read.
    ///
    /// No limits apply, because the body is read for as long as the server sends something.
    ///
    /// - Throws: As ``response(to:at:)``.
    func open(_ message: Message, lastEventID: String?) async throws -> (MessageResponse, HTTPBody) {
        var (request, encoded) = try prepare(message)
        DataUse.noteDoor("the events of \(name)")
        request.headerFields[.cacheControl] = "no-cache"
        request.headerFields[.lastEventID] = lastEventID
        let attempts = AttemptLog()
        var options = options(for: request, attempts)
        options.collectsBody = false
        options.maximumBodySize = nil
        options.bypassedDecorators += [
            BodyLimitingHTTPClient.self, ConcurrencyLimitingHTTPClient.self, DeadlineHTTPClient.self,
            RetryingHTTPClient.self,
        ]
        let (client, content) = (server.client, encoded.body)
        return try await options.use { [request] in
            let (head, body) = try await client.send(request, body: content.map { HTTPBody($0) })
            var response = MessageResponse(path: request.path, head: head, body: Data(), attempts: attempts)
            guard !acceptedStatuses.contains(head.status.code) else {
                if let coding = ContentCoding(head) {
                    throw failure(.body(coding.unsupported(butFor: "events must not be compressed")), response)
                }
                return (response, body)
            }
            response.body = try await body.collected(upTo: 1_048_576, for: request)
            throw error(response)
        }
    }

    @inline(__always)
    private func prepare(_ message: Message) throws -> (HTTPRequest, EncodedMessage) {
        if validates { try (message as? any Validatable)?.validate() }
        let encoded = try coder.encode(message)
        try conflicts.check(encoded.path)
        var request = encoded.hasUsualHeaders ? usualRequest : request
        request.path = server.baseURL.path(to: encoded.path)
        if !encoded.hasUsualHeaders { request.headerFields.replace(with: encoded.headers) }
        return (request, encoded)
    }

    /// The error for a response that cannot be used.
    func failure(
        _ reason: HTTPFailure.Reason,
        _ response: MessageResponse,
        _ problem: ProblemDetails? = nil,
        note: String? = nil
    ) -> HTTPFailure {
        HTTPFailure(
            message: name,
            request: request(of: response),
            reason: reason,
            response: response.head,
            body: response.body,
            problem: problem,
            problemNote: note,
            attempts: response.attempts.attempts,
            coding: coding
        )
    }

    /// A response as it was before it was compressed; the fields of the stored form are removed.
    ///
    /// Responses are unpacked here and not by the client, so that a cache stores what the server has sent.
    ///
    /// - Throws: ``HTTPFailure``.
    func unpacked(_ response: MessageResponse) throws(HTTPFailure) -> MessageResponse {
        guard !response.body.isEmpty, let coding = ContentCoding(response.head) else { return response }
        var response = response
        do throws(HTTPMessageError) {
            response.body = try coding.unpack(response.body, upTo: server.settings.maximumUnpackedBody)
        } catch {
            throw failure(.body(error), response)
        }
        response.head.headerFields[.contentEncoding] = nil
        response.head.headerFields[.contentLength] = nil
        return response
    }

    /// The payload of a query in a response.
    ///
    /// - Throws: ``HTTPFailure``.
    func content<Payload>(
        of response: MessageResponse,
        _ contents: AnswerContents<Payload>
    ) throws(HTTPFailure) -> AnswerContent<Payload> {
        let response = try unpacked(response)
        let (head, payloads) = (response.head, contents.payloads)
        if !contents.acceptsAnyMediaType, !payloads.isAbsent(head, response.body),
            !payloads.reads(head.headerFields[.contentType])
        {
            throw failure(.mediaType, response)
        }
        do {
            return AnswerContent(payload: try payloads.payload(of: head, response.body), fields: head.headerFields)
        } catch {
            throw failure(.body(error), response)
        }
    }

    private func error(_ response: MessageResponse) -> any Error {
        let response = (try? unpacked(response)) ?? response
        let problem = ProblemDetails(mediaType: response.head.headerFields[.contentType], body: response.body)
        guard let problem else {
            // The content may have another format.
            let error = response.head.headerFields[.problem].flatMap { problems.error(named: $0, response.head.status) }
            return error.map(received) ?? failure(.status, response)
        }
        return switch problems.interpret(problem, body: response.body, from: request(of: response).url, to: name) {
        case .error(let error): received(error)
        case .problem(let note): failure(.status, response, problem, note: note)
        }
    }

    private func received(_ problem: any HTTPProblem) -> any Error {
        ReceivedErrors.current?.insert(problem)
        return problem
    }

    private func checked(_ idempotencyKey: String) throws(HTTPMessageError) -> String {
        // HTTPTypes would replace invalid characters, so that two keys could become equal.
        guard !idempotencyKey.isEmpty, HTTPField.isValidValue(idempotencyKey) else {
            throw .unsendable(
                message: name,
                property: "its idempotency key",
                reason: "must be one line of at least one character"
            )
        }
        return idempotencyKey
    }

    /// The task's own options, with those that the message determines.
    private func options(for request: HTTPRequest, _ attempts: AttemptLog) -> HTTPRequestOptions {
        var options = HTTPRequestOptions.current
        options.collectsBody = true
        options.attempts = attempts
        options.messageName = name
        options.server = origin
        options.pathTemplate = pathTemplate
        options.bypassedDecorators += bypassedDecorators
        options.acceptedStatuses = acceptedStatuses
        options.mayLoseBody = !isQuery
        options.safeRequests = isSafePost ? [request] : []
        return options
    }
}

/// The response to a message, and the attempts that were needed.
struct MessageResponse {
    let path: String?
    var head: HTTPResponse
    var body: Data
    /// The error of the body of a command's response.
    var loss: (any Error)?
    let attempts: AttemptLog
}

extension HTTPClient {
    /// As ``data(for:body:)``, with the error of a body that may be lost.
    fileprivate func content(
        for request: HTTPRequest,
        body: Data?
    ) async throws -> (HTTPResponse, (Data, (any Error)?)) {
        let (response, received) = try await send(request, body: body.map { HTTPBody($0) })
        if let whole = received.whole { return (response, (whole, nil)) }
        do {
            return (response, (try await received.collected(for: request), nil))
        } catch  where HTTPRequestOptions.current.mayLoseBody(of: response) {
            return (response, (Data(), error))
        }
    }
}

extension CacheVersion {
    /// The version as one of a server, so that no other server can name it.
    func bound(to origin: HTTPOrigin?) -> CacheVersion {
        var hasher = Hasher()
        hasher.combine(origin)
        hasher.combine(cache)
        return CacheVersion(cache: UInt64(bitPattern: Int64(hasher.finalize())), number: number)
    }
}
