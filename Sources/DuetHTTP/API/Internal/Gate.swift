import DuetContext
import ServiceContextModule

/// Applies the authorization rule of one message type: that of the endpoint, of the message or of the settings.
struct Gate<Message: HTTPMessage>: Sendable {
    let access: ServedEndpoint.Access
    private let check: AuthorizationRule<Message>.Check?

    init(_ rule: AuthorizationRule<Message>, _ settings: HTTPSettings) {
        switch [rule, Message.authorize, settings.authorize.narrowed()].map(\.decision).first(where: \.isSaid) {
        case .principal(let check): (self.check, access) = (check, .principal)
        case .open: (check, access) = (nil, .open)
        case .unsaid, nil: (check, access) = (nil, .unsaid)
        }
    }

    /// The response before a message is read, so that an unauthenticated client learns nothing else about a request.
    func refusal() -> HTTPAnswer? {
        check == nil || ServiceContext.current?.principal != nil ? nil : .unauthorized
    }

    /// The response to a message that the rule rejects.
    ///
    /// - Throws: The errors of the rule.
    func refusal(of message: Message) async throws -> HTTPAnswer? {
        guard let check else { return nil }
        guard let principal = ServiceContext.current?.principal else { return .unauthorized }
        return try await check(message, principal) ? nil : .forbidden
    }
}

extension AuthorizationRule.Decision {
    fileprivate var isSaid: Bool {
        if case .unsaid = self { false } else { true }
    }
}

extension AuthorizationRule<any HTTPMessage> {
    /// The rule for all messages as a rule for one type.
    fileprivate func narrowed<One: HTTPMessage>() -> AuthorizationRule<One> {
        switch decision {
        case .unsaid: .unsaid
        case .open: .open
        case .principal(let check): .when { message, principal in try await check(message, principal) }
        }
    }
}
