/// Decides which callers may send a message.
///
/// Without a principal, a message is refused with ``AuthorizationError/unauthenticated``. A principal that the rule
/// rejects is refused with ``AuthorizationError/forbidden``.
public struct AuthorizationRule<M: Sendable>: Sendable {
    package typealias Check = @Sendable @concurrent (_ message: M, _ principal: Principal) async throws -> Bool

    /// The callers whose messages are not refused at once.
    package let callers: PermittedCallers
    /// Decides for a permitted principal and its message; nil if every message is accepted.
    package let check: Check?

    package init(_ callers: PermittedCallers, check: Check? = nil) {
        self.callers = callers
        self.check = check
    }

    /// Accepts every caller, also an anonymous one.
    public static var open: AuthorizationRule { AuthorizationRule(.all) }

    /// Accepts every principal.
    public static var principal: AuthorizationRule { AuthorizationRule(.principals(scopes: nil)) }

    /// Accepts principals with a scope.
    public static func scope(_ scope: String) -> AuthorizationRule { .scope(anyOf: [scope]) }

    /// Accepts principals with at least one of several scopes.
    public static func scope(anyOf scopes: Set<String>) -> AuthorizationRule {
        AuthorizationRule(.principals(scopes: scopes))
    }

    /// Accepts a message and a principal if a closure returns true.
    ///
    /// A server reads the body of the message first. It decides by the other rules before.
    public static func when(
        _ check: @escaping @Sendable @concurrent (_ message: M, _ principal: Principal) async throws -> Bool
    ) -> AuthorizationRule {
        AuthorizationRule(.principals(scopes: nil), check: check)
    }

    /// Accepts only the program itself: messages from other nodes of its cluster, and those sent within
    /// ``withAuthority(_:operation:)``.
    public static var nodes: AuthorizationRule { AuthorizationRule(.nodes) }
}

/// The callers that a rule permits, whatever their message is.
package enum PermittedCallers: Sendable {
    case all
    /// Principals with one of the scopes; nil for every principal.
    case principals(scopes: Set<String>?)
    case nodes

    package var needsPrincipal: Bool { if case .principals = self { true } else { false } }

    /// Refuses a caller before its message is known.
    package func check(_ caller: Caller) throws(AuthorizationError) {
        guard caller.authority == nil else { return }
        switch self {
        case .all: break
        case .nodes: if !caller.isNode { throw .forbidden }
        case .principals(let scopes):
            guard let principal = caller.principal else { throw .unauthenticated }
            if let scopes, scopes.isDisjoint(with: principal.scopes) { throw .forbidden }
        }
    }
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
