import Foundation
import HTTPTypes

/// Sends the messages of one type and tells success from failure.
struct MessageExchange<Message: HTTPMessage>: Sendable {
    /// Kept, because making one of the type's name takes longer than all else that is done for a request.
    private let name = Message.messageName
    private let server: HTTPServer
    private let coder: MessageCoder<Message>
    private let coding: HTTPCoding
    private let problems: DeclaredProblems
    private let rivals: RouteRivals
    private let acceptedStatuses: ClosedRange<Int>
    private let isSafePost: Bool
    /// All that the requests have in common.
    private let request: HTTPRequest

    /// - Throws: ``InvalidHTTPAPI`` when the type cannot be an HTTP request.
    ///
    /// - Parameter isQuery: Whether nothing is changed by the messages, so that sending one again does no harm.
    init(_ method: HTTPRequest.Method, _ server: HTTPServer, accept: String, isQuery: Bool = false) throws {
        self.server = server
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
    }

    /// The answer to a message, whose status is one of those that mean success.
    ///
    /// - Throws: A declared problem or an ``HTTPFailure`` for any other status; what the coder and the client throw.
    func send(_ message: Message, adding fields: HTTPFields = [:]) async throws -> (HTTPResponse, Data) {
        let encoded = try coder.encode(message)
        try rivals.check(encoded.path)
        var request = request
        request.path = server.baseURL.path(to: encoded.path)
        request.headerFields.replace(with: encoded.headers)
        request.headerFields.replace(with: fields)
        let (client, sent) = (server.client, request)
        let (response, body) = try await options(for: sent).use { try await client.send(sent, body: encoded.body) }
        guard !acceptedStatuses.contains(response.status.code) else { return (response, body) }
        throw error(response, body, from: sent.url)
    }

    /// What is thrown for an answer that is of no use.
    func failure(_ reason: HTTPFailure.Reason, _ response: HTTPResponse, _ body: Data) -> HTTPFailure {
        HTTPFailure(message: name, reason: reason, response: response, body: body, coding: coding)
    }

    private func error(_ response: HTTPResponse, _ body: Data, from url: URL?) -> any Error {
        let problem = ProblemDetails(mediaType: response.headerFields[.contentType], body: body)
        var note: String?
        if let problem {
            switch problems.told(problem, body: body, from: url, to: name) {
            case .error(let error): return error
            case .problem(let text): note = text
            }
        }
        return HTTPFailure(
            message: name,
            reason: .status,
            response: response,
            body: body,
            problem: problem,
            problemNote: note,
            coding: coding
        )
    }

    /// The task's own options stay as they are, where the message has nothing to say about them.
    private func options(for request: HTTPRequest) -> HTTPRequestOptions {
        var options = HTTPRequestOptions.current
        options.messageName = name
        options.pathTemplate = Message.path
        options.withoutDecorators += Message.withoutDecorators
        options.safeRequest = isSafePost ? request : nil
        return options
    }
}
