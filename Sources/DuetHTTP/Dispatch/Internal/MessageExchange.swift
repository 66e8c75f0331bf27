import Duet
import DuetContext
import Foundation
import HTTPTypes
import ServiceContextModule

/// Sends the messages of one type and tells success from failure.
struct MessageExchange<Message: HTTPMessage>: Sendable {
    /// Kept, because making one of the type's name takes longer than all else that is done for a request.
    let name = Message.messageName
    /// Determined once, because a cast of each message costs more than encoding a property.
    private let validates: Bool
    private let server: HTTPServer
    private let coder: MessageCoder<Message>
    private let coding: HTTPCoding
    private let problems: DeclaredProblems
    private let rivals: RouteRivals
    private let acceptedStatuses: ClosedRange<Int>
    private let isSafePost: Bool
    /// All that the requests have in common.
    private let request: HTTPRequest
    /// The same with the fields of messages that add none.
    private let usualRequest: HTTPRequest

    /// - Parameter isQuery: Whether nothing is changed by the messages, so that sending one again does no harm.
    /// - Throws: ``InvalidHTTPAPI`` when the type cannot be an HTTP request.
    init(_ method: HTTPRequest.Method, _ server: HTTPServer, accept: String, isQuery: Bool = false) throws {
        self.server = server
        validates = server.validates && Message.self is any Validatable.Type
        isSafePost = isQuery && method == .post
        coding = Message.coding ?? server.settings.coding
        coder = MessageCoder(method, server.settings)
        problems = DeclaredProblems(of: Message.self, server.settings)
        rivals = RouteRivals(of: Message.self, method, in: server.endpoints ?? [])
        let faults = coder.faults + DeclaredProblems.faults(of: [Message.self], server.settings)
        guard faults.isEmpty else { throw InvalidHTTPAPI(faults) }
        acceptedStatuses = Message.acceptedStatuses ?? server.settings.acceptedStatuses
        var request = server.baseURL.request(method)
        request.headerFields[.accept] = accept
        self.request = request
        request.headerFields.replace(with: coder.usualHeaders)
        usualRequest = request
    }

    /// The answer to a message, whose status is one of those that mean success.
    ///
    /// - Parameter idempotencyKey: What the request is marked with, unless the message says so itself.
    /// - Throws: A declared problem or an ``HTTPFailure`` for any other status; what the coder and the client throw.
    func send(_ message: Message, idempotencyKey: String? = nil) async throws -> MessageAnswer {
        if validates { try (message as? any Validatable)?.validate() }
        let encoded = try coder.encode(message)
        try rivals.check(encoded.path)
        var request = encoded.hasUsualHeaders ? usualRequest : request
        request.path = server.baseURL.path(to: encoded.path)
        if !encoded.hasUsualHeaders { request.headerFields.replace(with: encoded.headers) }
        if let idempotencyKey, !encoded.headers.contains(.idempotencyKey) {
            request.headerFields[.idempotencyKey] = try checked(idempotencyKey)
        }
        let attempts = AttemptLog()
        // Bound one by one: a closure that had all of the exchange would take longer to make than the request.
        let (client, sent, content) = (server.client, request, encoded.body)
        // The task's deadline binds also where no decorator keeps it.
        let deadline = ServiceContext.current?.deadline
        let (response, body) = try await options(for: request, attempts).use {
            guard let deadline else { return try await client.data(for: sent, body: content) }
            return try await deadline.enforce(deadline.remaining, over: sent) {
                try await client.data(for: $0, body: content)
            }
        }
        let answer = MessageAnswer(path: request.path, response: response, body: body, attempts: attempts)
        guard !acceptedStatuses.contains(response.status.code) else { return answer }
        throw error(answer, from: request.url)
    }

    /// What is thrown for an answer that is of no use.
    func failure(
        _ reason: HTTPFailure.Reason,
        _ answer: MessageAnswer,
        _ problem: ProblemDetails? = nil,
        note: String? = nil
    ) -> HTTPFailure {
        var request = request
        request.path = answer.path
        return HTTPFailure(
            message: name,
            request: request,
            reason: reason,
            response: answer.response,
            body: answer.body,
            problem: problem,
            problemNote: note,
            attempts: answer.attempts.attempts,
            coding: coding
        )
    }

    private func error(_ answer: MessageAnswer, from url: URL?) -> any Error {
        let problem = ProblemDetails(mediaType: answer.response.headerFields[.contentType], body: answer.body)
        guard let problem else { return failure(.status, answer) }
        return switch problems.told(problem, body: answer.body, from: url, to: name) {
        case .error(let error): error
        case .problem(let note): failure(.status, answer, problem, note: note)
        }
    }

    private func checked(_ idempotencyKey: String) throws(HTTPMessageError) -> String {
        // What a field cannot hold would be replaced, and two keys might come out alike.
        guard !idempotencyKey.isEmpty, HTTPField.isValidValue(idempotencyKey) else {
            throw .unsendable(
                message: name,
                property: "its idempotency key",
                reason: "must be one line of at least one character"
            )
        }
        return idempotencyKey
    }

    /// The task's own options stay as they are, where the message has nothing to say about them.
    private func options(for request: HTTPRequest, _ attempts: AttemptLog) -> HTTPRequestOptions {
        var options = HTTPRequestOptions.current
        options.collectsBody = true
        options.attempts = attempts
        options.messageName = name
        options.pathTemplate = Message.path
        options.withoutDecorators += Message.withoutDecorators
        options.safeRequests = isSafePost ? [request] : []
        return options
    }
}
