/// A token source with one token that never changes.
///
/// ```swift
/// let client = client.authenticated(by: .bearer("a-long-secret"))
/// ```
///
/// When the server rejects the token, its rejection is the response, because only a person can replace the token.
public struct ConstantTokenSource: TokenSource {
    private let token: String

    /// Creates a source of one token.
    public init(_ token: String) {
        self.token = token
    }

    /// Returns the token.
    public func current() async throws -> String? { token }

    /// Returns nil, because there is no other token.
    public func refresh(replacing rejected: String?) async throws -> String? { nil }
}

extension TokenSource where Self == ConstantTokenSource {
    /// One token that never changes (RFC 6750).
    public static func bearer(_ token: String) -> Self { ConstantTokenSource(token) }
}

extension ConstantTokenSource: CustomStringConvertible, CustomReflectable {
    /// A description without the token.
    public var description: String { "constant token" }

    /// Empty, so that no dump shows the token.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
