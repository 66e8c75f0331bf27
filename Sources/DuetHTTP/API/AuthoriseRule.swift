public import DuetContext

/// Says on whose behalf a message is handled.
///
/// A stranger, somebody without valid credentials, is refused with 401; a principal that the rule does not let in with 403.
public struct AuthoriseRule<Message>: Sendable {
    package typealias Check = @Sendable @concurrent (_ message: Message, _ principal: Principal) async throws -> Bool

    /// What decides once there is a principal; nil when strangers are let in too.
    package let check: Check?

    private init(check: Check?) {
        self.check = check
    }

    /// Anybody, strangers included.
    public static var open: AuthoriseRule { AuthoriseRule(check: nil) }

    /// Any principal.
    public static var principal: AuthoriseRule { AuthoriseRule { _, _ in true } }

    /// A principal that has this scope.
    public static func scope(_ scope: String) -> AuthoriseRule {
        AuthoriseRule { _, principal in principal.scopes.contains(scope) }
    }

    /// A principal for which `check` says yes to the message.
    public static func when(
        _ check: @escaping @Sendable @concurrent (_ message: Message, _ principal: Principal) async throws -> Bool
    ) -> AuthoriseRule {
        AuthoriseRule(check: check)
    }
}
