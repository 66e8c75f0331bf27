public import DuetContext

/// Says on whose behalf a message is handled.
///
/// A stranger, somebody without valid credentials, is refused with 401; a principal that the rule does not let in with 403.
public struct AuthoriseRule<Message>: Sendable {
    package typealias Check = @Sendable @concurrent (_ message: Message, _ principal: Principal) async throws -> Bool

    package enum Decision: Sendable {
        case unsaid, open
        /// What decides once there is a principal.
        case principal(Check)
    }

    package let decision: Decision

    private init(_ decision: Decision) {
        self.decision = decision
    }

    /// No rule: of the API's list, the message and the settings, the first that has one decides.
    public static var unsaid: AuthoriseRule { AuthoriseRule(.unsaid) }

    /// Anybody, strangers included.
    public static var open: AuthoriseRule { AuthoriseRule(.open) }

    /// Any principal.
    public static var principal: AuthoriseRule { .when { _, _ in true } }

    /// A principal that has this scope.
    public static func scope(_ scope: String) -> AuthoriseRule {
        .when { _, principal in principal.scopes.contains(scope) }
    }

    /// A principal for which `check` says yes to the message.
    public static func when(
        _ check: @escaping @Sendable @concurrent (_ message: Message, _ principal: Principal) async throws -> Bool
    ) -> AuthoriseRule {
        AuthoriseRule(.principal(check))
    }
}
