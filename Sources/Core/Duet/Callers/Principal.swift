/// The person or program that a message is handled for, identified by its credentials.
///
/// ```swift
/// guard let user = Principal.current?.id else { throw NoPrincipal() }
/// ```
///
/// Principals are equal only if all bytes of their identifiers are. Strings are equal as soon as they are canonically
/// equivalent: `"Jos\u{E9}" == "Jose\u{301}"`. Compare identifiers with ``hasID(_:)``.
public struct Principal: Sendable {
    /// The identifier that the issuer of the credentials uses; the `sub` claim of a JSON Web Token.
    public let id: String

    /// The permissions that the issuer granted.
    public let scopes: Set<String>

    /// Creates a principal.
    public init(id: String, scopes: Set<String> = []) {
        self.id = id
        self.scopes = scopes
    }

    /// Whether an identifier is this principal's, byte for byte, for an authorization rule such as
    /// `.when { query, principal in principal.hasID(query.user) }`.
    public func hasID(_ id: String) -> Bool {
        self.id.utf8.elementsEqual(id.utf8)
    }
}

extension Principal: Hashable {
    /// Whether the bytes of the identifiers and the permissions are equal.
    public static func == (first: Principal, second: Principal) -> Bool {
        first.hasID(second.id) && first.scopes == second.scopes
    }

    /// Hashes the bytes of the identifier and the permissions.
    public func hash(into hasher: inout Hasher) {
        for byte in id.utf8 { hasher.combine(byte) }
        hasher.combine(scopes)
    }
}
