public import DuetContext
import ServiceContextModule

/// Decides which principals may send a message.
///
/// A request without valid credentials is refused with 401. A principal that the rule rejects is refused with 403.
public struct AuthorizationRule<Message>: Sendable {
    package typealias Check = @Sendable @concurrent (_ message: Message, _ principal: Principal) async throws -> Bool

    package enum Decision: Sendable {
        case unspecified, open
        /// Decides after a principal was authenticated.
        case principal(Check)
    }

    package let decision: Decision

    private init(_ decision: Decision) {
        self.decision = decision
    }

    /// No rule.
    ///
    /// The first rule applies in this order: the endpoint's, the message's, the one of the settings.
    public static var unspecified: AuthorizationRule { AuthorizationRule(.unspecified) }

    /// Accepts every request, also without credentials.
    public static var open: AuthorizationRule { AuthorizationRule(.open) }

    /// Accepts every principal.
    public static var principal: AuthorizationRule { .when { _, _ in true } }

    /// Accepts principals with a scope.
    public static func scope(_ scope: String) -> AuthorizationRule {
        .when { _, principal in principal.scopes.contains(scope) }
    }

    /// Accepts a message and a principal if a closure returns true.
    public static func when(
        _ check: @escaping @Sendable @concurrent (_ message: Message, _ principal: Principal) async throws -> Bool
    ) -> AuthorizationRule {
        AuthorizationRule(.principal(check))
    }
}

// MARK: Enforcement

/// Applies the authorization rule of one message type: that of the endpoint, of the message or of the settings.
struct Authorizer<Message: HTTPMessage>: Sendable {
    let access: ServedEndpoint.Access
    private let check: AuthorizationRule<Message>.Check?

    init(_ rule: AuthorizationRule<Message>, _ settings: HTTPSettings) {
        switch [rule, Message.route.authorization, settings.authorize.narrowed()].map(\.decision).first(
            where: \.isSpecified
        ) {
        case .principal(let check): (self.check, access) = (check, .principal)
        case .open: (check, access) = (nil, .open)
        case .unspecified, nil: (check, access) = (nil, .unspecified)
        }
    }

    /// The response before a message is read, so that an unauthenticated client learns nothing else about a request.
    func refusal() -> ServedResponse? {
        check == nil || ServiceContext.current?.principal != nil ? nil : .unauthorized
    }

    /// The response to a message that the rule rejects.
    ///
    /// - Throws: The errors of the rule.
    func refusal(of message: Message) async throws -> ServedResponse? {
        guard let check else { return nil }
        guard let principal = ServiceContext.current?.principal else { return .unauthorized }
        return try await check(message, principal) ? nil : .forbidden
    }
}

extension AuthorizationRule.Decision {
    fileprivate var isSpecified: Bool {
        if case .unspecified = self { false } else { true }
    }
}

extension AuthorizationRule<any HTTPMessage> {
    /// The rule for all messages as a rule for one type.
    fileprivate func narrowed<One: HTTPMessage>() -> AuthorizationRule<One> {
        switch decision {
        case .unspecified: .unspecified
        case .open: .open
        case .principal(let check): .when { message, principal in try await check(message, principal) }
        }
    }
}
