/// Decides which callers may send a message.
///
/// Without a principal, a message is refused with ``AuthorizationError/unauthenticated``. A principal that the rule
/// rejects is refused with ``AuthorizationError/forbidden``.
public struct AuthorizationRule<M: Sendable>: Sendable {
    package typealias Check = @Sendable @concurrent (_ message: M, _ principal: Principal) async throws -> Bool

    package enum Decision: Sendable {
        case open
        /// Decides for the principal of a message.
        case principal(Check)
        case nodes
    }

    package let decision: Decision

    /// Accepts every caller, also an anonymous one.
    public static var open: AuthorizationRule { AuthorizationRule(decision: .open) }

    /// Accepts every principal.
    public static var principal: AuthorizationRule { .when { _, _ in true } }

    /// Accepts principals with a scope.
    public static func scope(_ scope: String) -> AuthorizationRule {
        .when { _, principal in principal.scopes.contains(scope) }
    }

    /// Accepts a message and a principal if a closure returns true.
    public static func when(
        _ check: @escaping @Sendable @concurrent (_ message: M, _ principal: Principal) async throws -> Bool
    ) -> AuthorizationRule {
        AuthorizationRule(decision: .principal(check))
    }

    /// Accepts only the program itself: messages from other nodes of its cluster, and those sent within
    /// ``withAuthority(_:operation:)``.
    public static var nodes: AuthorizationRule { AuthorizationRule(decision: .nodes) }
}

/// The error of a message that its ``AuthorizationRule`` refuses, which is the same in every place.
///
/// Over HTTP, the statuses are 401 and 403.
public enum AuthorizationError: DeclaredError, Hashable, CustomStringConvertible {
    /// The caller is anonymous, and the rule needs a principal.
    case unauthenticated

    /// The rule rejects the caller.
    case forbidden

    /// The remedy of the caller.
    public var description: String {
        switch self {
        case .unauthenticated: "This needs a principal. Sign in, or send valid credentials."
        case .forbidden: "These credentials do not permit this."
        }
    }
}

extension AuthorizationError: TemporaryError {
    /// False: the same caller is refused again.
    public var isTemporary: Bool { false }

    /// True for an anonymous caller.
    public var needsSignIn: Bool { self == .unauthenticated }
}
