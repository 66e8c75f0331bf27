import DuetHTTP
import Foundation

/// A secret that a client presents to the backend: 256 random bits, in characters that need no quoting.
///
/// The backend stores only its hash, so the token can be shown only once.
public struct AccessToken: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The token's text: `feed_` and the bits in base64url (RFC 4648, section 5).
    ///
    /// The prefix helps programs that search files for leaked secrets.
    public let text: String

    /// Creates a new token with a cryptographic random number generator.
    public init(using generator: inout some RandomNumberGenerator) {
        var bits = Data()
        for _ in 0..<4 {
            let word: UInt64 = generator.next()
            for shift in stride(from: 0, to: 64, by: 8) { bits.append(UInt8(truncatingIfNeeded: word >> shift)) }
        }
        let digits = bits.base64EncodedString().map { digit -> Character in
            switch digit {
            case "+": "-"
            case "/": "_"
            default: digit
            }
        }
        text = "feed_" + String(digits).prefix { $0 != "=" }
    }

    /// The token's SHA-256 hash, in 64 hexadecimal digits.
    public var hash: String { "\(TokenHash(of: text))" }

    /// The type's name, so that no log shows the token.
    public var description: String { "AccessToken" }

    /// A mirror without the token.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
