public import Duet
public import HTTPTypes

/// Applies the authorization rule of one message type: that of the list, of the message or of the settings.
struct Authorizer<Message: HTTPMessage>: Sendable {
    let access: ServedEndpoint.Access
    private let rule: AuthorizationRule<Message>?

    init(_ rule: AuthorizationRule<Message>?, _ settings: HTTPSettings) {
        self.rule = rule ?? Message.route.authorization ?? settings.authorize?.narrowed()
        access =
            switch self.rule?.decision {
            case .principal: .principal
            case .open: .open
            case .nodes: .nodes
            case nil: .unspecified
            }
    }

    /// The response before a message is read, so that an unauthenticated client learns nothing else about a request.
    func refusal() -> ServedResponse? {
        switch access {
        case .principal: Principal.current == nil ? .unauthorized : nil
        case .nodes: .forbidden
        case .open, .unspecified: nil
        }
    }

    /// The response to a message that the rule rejects.
    ///
    /// - Throws: The errors of the rule.
    func refusal(of message: Message) async throws -> ServedResponse? {
        do {
            try await rule?.check(message, of: .current)
            return nil
        } catch let error as AuthorizationError {
            return ServedResponse(error)
        }
    }
}

extension AuthorizationRule<any HTTPMessage> {
    /// The rule for all messages as a rule for one type.
    fileprivate func narrowed<One: HTTPMessage>() -> AuthorizationRule<One> {
        switch decision {
        case .open: .open
        case .nodes: .nodes
        case .principal(let check): .when { message, principal in try await check(message, principal) }
        }
    }
}

// MARK: On the wire

extension AuthorizationError: HTTPProblem {
    /// The problem's identifier on the wire.
    public static var problemType: String { "urn:duet:authorization-error" }

    /// 401 or 403.
    public var status: HTTPResponse.Status {
        switch self {
        case .unauthenticated: .unauthorized
        case .forbidden: .forbidden
        }
    }

    /// The challenge (RFC 6750, section 3).
    var challenge: String {
        switch self {
        case .unauthenticated: #"Bearer realm="api""#
        case .forbidden: #"Bearer error="insufficient_scope""#
        }
    }
}

extension ServedResponse {
    /// The response to a refused message, with the challenge of RFC 6750, section 3.
    init(_ error: AuthorizationError) {
        self = (try? ServedResponse(error, JSONCoder(HTTPCoding()))) ?? ServedResponse(status: error.status)
        headers[.wwwAuthenticate] = error.challenge
    }

    /// The response to missing or invalid credentials.
    package static var unauthorized: ServedResponse { ServedResponse(AuthorizationError.unauthenticated) }

    /// The response to a principal that the rule rejects.
    static var forbidden: ServedResponse { ServedResponse(AuthorizationError.forbidden) }
}
