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
        authorize: AuthorizationRule<C>? = nil,
        successStatus: (
            @Sendable @concurrent (_ command: C, _ dispatcher: any QueryDispatcher) async throws -> HTTPResponse.Status
        )? = nil
    ) {
        self.init(command) { endpoint, settings in
            let route = C.route
            let (ownStatus, fields) = (route.successStatus ?? .noContent, route.responseHeaders)
            let responder = EndpointResponder<C>(
                coder: MessageCoder(settings),
                authorizer: Authorizer(authorize, settings),
                problems: DeclaredProblems(of: C.self, settings)
            ) { command, dispatcher in
                let status = try await successStatus?(command, dispatcher) ?? ownStatus
                try await dispatcher.withoutValidation.dispatch(command)
                return ServedResponse(status: status, headers: HTTPFields(fields, of: command))
            }
            return ServedEndpoint(endpoint, responder, consumes: C.bodyTypes, produces: [])
        }
    }

    /// The endpoint of a query.
    ///
    /// - Parameters:
    ///   - query: The type of the query.
    ///   - authorize: The rule in this API; by default that of the query.
    public init<Q: HTTPQuery>(_ query: Q.Type, authorize: AuthorizationRule<Q>? = nil) {
        self.init(query) { endpoint, settings in
            let route = Q.route
            let fields = route.responseHeaders
            let payloads = PayloadCoder<Q.Payload>(route.coding ?? settings.coding)
            let responder = EndpointResponder<Q>(
                coder: MessageCoder(settings),
                authorizer: Authorizer(authorize, settings),
                problems: DeclaredProblems(of: Q.self, settings)
            ) { query, dispatcher in
                let value = try await dispatcher.withoutValidation.dispatch(query)
                var response = try payloads.response(with: Q.payload(from: value, answering: query))
                response.headers.replace(with: HTTPFields(fields, of: query))
                return response
            }
            return ServedEndpoint(
                endpoint,
                responder,
                consumes: route.method == .get ? [] : ["application/json"],
                produces: payloads.mediaTypes,
                faults: PayloadCoder<Q.Payload>.faults(of: Q.self, settings) + payloads.liveFaults(of: Q.self),
                live: (route.liveQuery as? LiveQuery<Q>).map { LiveEndpoint($0, responder.coder, payloads) }
            )
        }
    }

    private init<Message: HTTPMessage>(
        _ message: Message.Type,
        _ served: @escaping @Sendable (_ endpoint: HTTPEndpoint, _ settings: HTTPSettings) -> ServedEndpoint
    ) {
        self.message = message
        method = message.route.method.httpMethod
        self.served = served
        messageName = message.messageName
        path = message.route.path
    }

    /// Creates the served endpoint for an API with these settings and collects the faults of the declaration.
    package func serve(_ settings: HTTPSettings) -> ServedEndpoint {
        served(self, settings)
    }
}

extension HTTPCommand {
    /// The media types that the command is read from: empty without a body, nil for any type.
    fileprivate static var bodyTypes: [String]? {
        if route.method == .delete { return [] }
        return (self as? any BodyCommand.Type)?.sendsBytes == true ? nil : ["application/json"]
    }
}
