public import Duet
public import DuetContext
import Foundation
public import HTTPTypes

/// Serves the messages of a list as a function from an HTTP request to its response, for any server.
///
/// ```swift
/// let service = try HTTPService(notes, dispatcher, at: "/api", authenticator: tokens) { print($0) }
/// ```
///
/// A message is validated, and authorized by the rule of the list for the principal of its request. `DuetHummingbird`
/// serves a list in the same way with a router of Hummingbird.
public struct HTTPService: Sendable {
    private let api: ServedAPI
    private let dispatcher: any Dispatcher
    private let log: @Sendable (HTTPServiceEvent) -> Void

    /// Creates the service of a list.
    ///
    /// - Parameters:
    ///   - messages: The list.
    ///   - dispatcher: Dispatches the messages to their handlers.
    ///   - base: The path in front of the paths of the messages, for example `/api`.
    ///   - authenticator: Finds the principal of a bearer token; nil if all messages are open.
    ///   - options: Options for all messages.
    ///   - log: Receives the failures that no response explains.
    /// - Throws: ``/Duet/InvalidMessageAPI`` with every fault, which are those of the list and these:
    ///   - A message is a ``ThirdPartyQuery``, or two messages have one method and path.
    ///   - A rule needs a principal and there is no authenticator, or there is one and a query has no rule.
    ///   - The dispatcher lists its handlers, and one is missing.
    ///   - A query is live, and the dispatcher does not report its changes.
    ///   - An option or the base is not valid.
    public init(
        _ messages: MessageAPI,
        _ dispatcher: any Dispatcher,
        at base: String = "/",
        authenticator: (any TokenAuthenticator)? = nil,
        options: MountOptions = MountOptions(),
        log: @escaping @Sendable (HTTPServiceEvent) -> Void
    ) throws(InvalidMessageAPI) {
        api = try ServedAPI(
            messages,
            at: base,
            authenticator: authenticator,
            options: options,
            checking: dispatcher
        )
        self.dispatcher = dispatcher
        self.log = log
    }

    /// Responds to a request, also if it fails or matches no message.
    ///
    /// The body of the response has its content at once, or the values of a live query as they change. The observation
    /// of a live query ends when nothing reads its body anymore.
    ///
    /// Cancel the task when the client disconnects or the server shuts down. The handler is then canceled.
    ///
    /// - Parameters:
    ///   - request: The request, with the path as the client sent it.
    ///   - body: The body, which is read only if the message has one, and within the limits of the options.
    ///   - address: The IP address of the client, for `MountOptions(anonymousCommands:)` and
    ///     `LiveOptions(streamsPerClient:)`; nil if it is unknown.
    public func respond(
        to request: HTTPRequest,
        body: HTTPBody? = nil,
        from address: String? = nil
    ) async -> (HTTPResponse, HTTPBody) {
        let unmatched: UnmatchedRequest
        switch api.route(request) {
        case (.found(let endpoint, let parameters), let query)?:
            let served = PlainRequest(head: request, content: body, address: address, service: self)
            do {
                let (response, events) = try await api.respond(to: served, for: endpoint, parameters, query: query)
                return response.sent(to: request.method, events)
            } catch {
                var refusal = ServedResponse(.badRequest, "The body did not arrive.")
                refusal.format(as: api.options.refusals)
                return refusal.sent(to: request.method)
            }
        case (.methodNotAllowed(let allowed), _)?: unmatched = UnmatchedRequest(allowed: allowed)
        case (.notFound, _)?, nil: unmatched = UnmatchedRequest()
        }
        var response = api.response(to: request, unmatched)
        api.cors?.add(to: &response.headers, for: request, methods: unmatched.allowed)
        return response.sent(to: request.method)
    }

    /// A request of a server that cancels the task when the client disconnects.
    private struct PlainRequest: ServedRequest {
        let head: HTTPRequest
        let content: HTTPBody?
        let address: String?
        let service: HTTPService

        var connection: (any ServedConnection)? { nil }

        func body(upTo limit: Int) async throws -> Data {
            let limit = try BodyLimit(limit, for: head)
            var data = Data()
            if let content {
                for try await piece in content {
                    try limit.check(piece.count, after: data.count)
                    // A single piece need not be copied.
                    if data.isEmpty { data = piece } else { data.append(piece) }
                }
            }
            try limit.checkEnd(after: data.count)
            return data
        }

        func release(_ body: Data) {}

        func dispatcher() async throws -> any Dispatcher { service.dispatcher }

        func log(_ event: HTTPServiceEvent) { service.log(event) }
    }
}

extension ServedResponse {
    func sent(to method: HTTPRequest.Method, _ events: EventStream? = nil) -> (HTTPResponse, HTTPBody) {
        var response = HTTPResponse(status: status, headerFields: headers)
        if let events { return (response, HTTPBody(events)) }
        let content = body ?? Data()
        // Two statuses never have content, and therefore no length (RFC 9110, section 8.6).
        if status != .noContent, status != .notModified {
            response.headerFields[.contentLength] = String(content.count)
        }
        return (response, HTTPBody(method == .head ? Data() : content))
    }
}

extension ServedAPI {
    /// Explains why a request matches no message, in the format of the API.
    package func response(to request: HTTPRequest, _ unmatched: UnmatchedRequest) -> ServedResponse {
        var response = unmatched.response(to: request)
        response.format(as: options.refusals)
        return response
    }
}

package struct UnmatchedRequest: Sendable {
    /// The methods of the path; empty for an unknown path.
    package var allowed: [HTTPRequest.Method]

    package init(allowed: [HTTPRequest.Method] = []) {
        self.allowed = allowed
    }

    package func response(to request: HTTPRequest) -> ServedResponse {
        var response = explanation(of: request)
        response.limitCaching(of: request)
        return response
    }

    private func explanation(of request: HTTPRequest) -> ServedResponse {
        let path = RequestTarget(request).path.prefix(256)
        guard !allowed.isEmpty else { return ServedResponse(.notFound, "There is nothing at \(path).") }
        let names = (allowed + [.options]).map(\.rawValue).joined(separator: ", ")
        guard request.method != .options else { return ServedResponse(status: .noContent, headers: [.allow: names]) }
        let method = request.method.rawValue.prefix(64)
        return ServedResponse(.methodNotAllowed, "\(path) supports \(names), not \(method).", headers: [.allow: names])
    }
}
