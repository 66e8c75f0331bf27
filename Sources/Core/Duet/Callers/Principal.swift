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

    /// The identifier and the permissions as one text, which equals that of another principal only if all bytes do.
    package let exactText: String

    /// Creates a principal.
    public init(id: String, scopes: Set<String> = []) {
        self.id = id
        self.scopes = scopes
        // Made once, because a cache compares it at each lookup. Lengths keep the parts apart.
        exactText =
            scopes.isEmpty
            ? "p" + id.exact : ([id] + scopes.sorted()).reduce(into: "s") { $0 += "\($1.utf8.count):" + $1.exact }
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
        first.exactText == second.exactText
    }

    /// Hashes the bytes of the identifier and the permissions.
    public func hash(into hasher: inout Hasher) { hasher.combine(exactText) }
}
