import Foundation
import HTTPTypes

/// Sends the messages of one type and tells success from failure.
struct MessageExchange<Message: HTTPMessage>: Sendable {
    /// Kept, because making one of the type's name takes longer than all else that is done for a request.
    private let name = Message.messageName
    private let server: HTTPServer
    private let coder: MessageCoder<Message>
    private let problems: DeclaredProblems
    private let acceptedStatuses: ClosedRange<Int>
    /// All that the requests have in common.
    private let request: HTTPRequest

    /// - Throws: ``InvalidHTTPAPI`` when the type cannot be an HTTP request.
    init(_ method: HTTPRequest.Method, _ server: HTTPServer, accept: String) throws {
        self.server = server
        coder = MessageCoder(method, server.settings)
        problems = DeclaredProblems(of: Message.self, server.settings)
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
        var request = request
        request.path = server.baseURL.path(to: encoded.path)
        request.headerFields.replace(with: encoded.headers)
        request.headerFields.replace(with: fields)
        let (client, sent) = (server.client, request)
        let (response, body) = try await options.use { try await client.send(sent, body: encoded.body) }
        guard !acceptedStatuses.contains(response.status.code) else { return (response, body) }
        throw error(response, body)
    }

    /// What is thrown for an answer that is of no use.
    func failure(_ reason: HTTPFailure.Reason, _ response: HTTPResponse, _ body: Data) -> HTTPFailure {
        HTTPFailure(message: name, reason: reason, response: response, body: body)
    }

    private func error(_ response: HTTPResponse, _ body: Data) -> any Error {
        let problem = ProblemDetails(mediaType: response.headerFields[.contentType], body: body)
        if let problem, let error = problems.error(problem, body: body) { return error }
        return HTTPFailure(message: name, reason: .status, response: response, body: body, problem: problem)
    }

    /// The task's own options stay as they are, where the message has nothing to say about them.
    private var options: HTTPRequestOptions {
        var options = HTTPRequestOptions.current
        options.messageName = name
        options.pathTemplate = Message.path
        options.withoutDecorators += Message.withoutDecorators
        return options
    }
}
