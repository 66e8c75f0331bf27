import Crypto

/// What is kept of a token instead of the token itself: its SHA-256 hash.
///
/// That is enough for tokens made by chance, of 128 bits or more, and only for those: what people choose can be
/// guessed.
public struct TokenHash: Hashable, Sendable {
    private let bytes: [UInt8]

    /// The hash of a token.
    public init(of token: String) {
        bytes = Array(SHA256.hash(data: Array(token.utf8)))
    }

    /// Reads a hash of 64 hexadecimal digits; nil when it is anything else.
    public init?(_ text: String) {
        let digits = text.utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
        guard digits.count == 64, text.utf8.count == 64 else { return nil }
        bytes = stride(from: 0, to: 64, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    /// Whether both are the same, found out in a time that does not tell how much of them is.
    func isSame(as other: TokenHash) -> Bool {
        zip(bytes, other.bytes).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

extension TokenHash: CustomStringConvertible {
    /// 64 hexadecimal digits.
    public var description: String {
        bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }
}
