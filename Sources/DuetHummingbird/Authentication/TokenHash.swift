import Crypto
import DuetHTTP

/// The SHA-256 hash of a token, which is stored instead of the token.
///
/// A plain hash protects random tokens of 128 bits or more. It does not protect passwords, which can be guessed.
public struct TokenHash: Hashable, Sendable {
    private let bytes: [UInt8]

    /// The hash of a token.
    public init(of token: String) {
        bytes = Array(SHA256.hash(data: Array(token.utf8)))
    }

    /// Reads a hash of 64 hexadecimal digits.
    ///
    /// Fails for any other text.
    public init?(_ text: String) {
        let digits = text.utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
        guard digits.count == 64, text.utf8.count == 64 else { return nil }
        bytes = stride(from: 0, to: 64, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    /// Compares two hashes in constant time, as digests are compared.
    func isSame(as other: TokenHash) -> Bool {
        SHA256.hash(data: bytes) == SHA256.hash(data: other.bytes)
    }
}

extension TokenHash: CustomStringConvertible {
    /// The hash as 64 hexadecimal digits.
    public var description: String {
        FieldSyntax.hexadecimal(bytes)
    }
}
