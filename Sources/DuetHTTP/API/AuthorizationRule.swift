public import DuetContext

/// Decides which principals may send a message.
///
/// A request without valid credentials is refused with 401. A principal that the rule rejects is refused with 403.
public struct AuthorizationRule<Message>: Sendable {
    package typealias Check = @Sendable @concurrent (_ message: Message, _ principal: Principal) async throws -> Bool

    package enum Decision: Sendable {
        case unsaid, open
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
    public static var unsaid: AuthorizationRule { AuthorizationRule(.unsaid) }

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
