import Foundation

/// Something secret that whoever bears it shows to the backend: 256 bits made by chance, in letters that need no quoting.
///
/// Only its hash is kept, so it can be shown once, to whom it is for.
public struct AccessToken: Hashable, Sendable {
    /// What is shown: `feed_` and the bits in base64url (RFC 4648, section 5).
    ///
    /// The beginning is there for those who look through files for secrets that were left in them.
    public let text: String

    /// Makes a new one, of what a generator for cryptography gives.
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
}

extension AccessToken: CustomStringConvertible, CustomReflectable {
    /// Not the token: it must not get into a log by accident.
    public var description: String { "AccessToken" }

    /// Nothing of the token.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
