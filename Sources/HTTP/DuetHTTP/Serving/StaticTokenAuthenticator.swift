import Crypto
public import Duet
public import DuetContext

/// Authenticates opaque bearer tokens by their hashes.
///
/// ```swift
/// let tokens = StaticTokenAuthenticator([
///     TokenHash(of: "token-of-ada"): Principal(id: "ada", scopes: ["speakers"])
/// ])
/// ```
public struct StaticTokenAuthenticator: TokenAuthenticator {
    private let find: @Sendable @concurrent (TokenHash) async throws -> Principal?

    /// Creates an authenticator for the tokens with these hashes.
    ///
    /// Each token is compared with all of them, in a time that does not depend on how close it is.
    public init(_ principals: [TokenHash: Principal]) {
        find = { hash in
            var found: Principal?
            for (known, principal) in principals where known.isSame(as: hash) { found = principal }
            return found
        }
    }

    /// Creates an authenticator that looks hashes up, for example in a database.
    ///
    /// The time of a lookup reveals nothing useful about a token: an attacker cannot choose tokens by the first digits
    /// of their hashes.
    public init(find: @escaping @Sendable @concurrent (TokenHash) async throws -> Principal?) {
        self.find = find
    }

    /// Returns the principal that the token was issued to.
    ///
    /// - Throws: The error of the lookup.
    public func principal(bearing token: String) async throws -> Principal? {
        try await find(TokenHash(of: token))
    }
}

/// The SHA-256 hash of a token, which is stored instead of the token.
///
/// A plain hash is enough only for random tokens of 128 bits or more. Anything that people choose can be guessed.
public struct TokenHash: Hashable, Sendable {
    /// The 32 bytes of the hash.
    private let bytes: [UInt8]

    /// Hashes a token.
    public init(of token: String) {
        bytes = Array(SHA256.hash(data: Array(token.utf8)))
    }

    /// Parses a hash of 64 hexadecimal digits, and returns nil for anything else.
    public init?(_ text: String) {
        let digits = text.utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
        guard digits.count == 64, text.utf8.count == 64 else { return nil }
        bytes = stride(from: 0, to: 64, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    /// Whether both hashes are equal, in a time that does not depend on where they differ.
    func isSame(as other: TokenHash) -> Bool {
        zip(bytes, other.bytes).reduce(0 as UInt8) { difference, pair in difference | (pair.0 ^ pair.1) } == 0
    }
}

extension TokenHash: CustomStringConvertible {
    /// The hash as 64 hexadecimal digits.
    public var description: String {
        FieldSyntax.hexadecimal(bytes)
    }
}
