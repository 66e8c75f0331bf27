public import Duet
public import HTTPTypes

/// One message of an HTTP API.
public struct HTTPEndpoint: Sendable {
    /// The stable name of the message.
    public let messageName: String

    /// The method of the request.
    public let method: HTTPRequest.Method

    /// The path relative to the base URL, with names in braces.
    public let path: String

    /// The type of the message.
    package let message: any HTTPMessage.Type

    private let served: @Sendable (_ endpoint: HTTPEndpoint, _ settings: HTTPSettings) -> ServedEndpoint

    /// The endpoint of a command.
    ///
    /// - Parameters:
    ///   - command: The type of the command.
    ///   - authorize: The rule in this API; by default that of the command.
    ///   - successStatus: The status of a response, computed before the command is handled; nil for the command's own.
    public init<C: HTTPCommand>(
        _ command: C.Type,
        authorize: AuthorizationRule<C> = .unsaid,
        successStatus: (
            @Sendable @concurrent (_ command: C, _ dispatcher: any QueryDispatcher) async throws -> HTTPResponse.Status
        )? = nil
    ) {
        self.init(command, C.method.request) { endpoint, settings in
            let responder = EndpointResponder<C>(
                coder: MessageCoder(C.method.request, settings),
                authorizer: Authorizer(authorize, settings),
                problems: DeclaredProblems(of: C.self, settings)
            ) { command, dispatcher in
                let status = try await successStatus?(command, dispatcher) ?? C.successStatus
                try await dispatcher.withoutValidation.dispatch(command)
                return ServedResponse(status: status, headers: C.responseHeaders)
            }
            return ServedEndpoint(endpoint, responder, consumes: C.bodyTypes, produces: [])
        }
    }

    /// The endpoint of a query.
    ///
    /// - Parameters:
    ///   - query: The type of the query.
    ///   - authorize: The rule in this API; by default that of the query.
    public init<Q: HTTPQuery>(_ query: Q.Type, authorize: AuthorizationRule<Q> = .unsaid) {
        self.init(query, Q.method.request) { endpoint, settings in
            let payloads = PayloadCoder<Q.Payload>(Q.coding ?? settings.coding)
            let responder = EndpointResponder<Q>(
                coder: MessageCoder(Q.method.request, settings),
                authorizer: Authorizer(authorize, settings),
                problems: DeclaredProblems(of: Q.self, settings)
            ) { query, dispatcher in
                let value = try await dispatcher.withoutValidation.dispatch(query)
                var response = try payloads.response(with: Q.payload(from: value, answering: query))
                response.headers.replace(with: Q.responseHeaders)
                return response
            }
            return ServedEndpoint(
                endpoint,
                responder,
                consumes: Q.method == .get ? [] : ["application/json"],
                produces: payloads.mediaTypes,
                faults: PayloadCoder<Q.Payload>.faults(of: Q.self, settings)
            )
        }
    }

    private init(
        _ message: any HTTPMessage.Type,
        _ method: HTTPRequest.Method,
        _ served: @escaping @Sendable (_ endpoint: HTTPEndpoint, _ settings: HTTPSettings) -> ServedEndpoint
    ) {
        self.message = message
        self.method = method
        self.served = served
        messageName = message.messageName
        path = message.path
    }

    /// Creates the served endpoint for an API with these settings and collects the faults of the declaration.
    package func serve(_ settings: HTTPSettings) -> ServedEndpoint {
        served(self, settings)
    }
}

extension HTTPCommand {
    /// The media types that the command is read from: empty without a body, nil for any type.
    fileprivate static var bodyTypes: [String]? {
        if method == .delete { return [] }
        return (self as? any BodyCommand.Type)?.sendsBytes == true ? nil : ["application/json"]
    }
}
