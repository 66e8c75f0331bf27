import Foundation
import JWTKit

/// What the head of a token says about its signature (RFC 7515, section 4.1).
struct JWTHead: Decodable {
    let alg: String
    let kid: String?
    /// Extensions that must be understood; this understands none.
    let crit: [String]?

    /// Reads the head of a token; nil when it has none that can be read.
    init?(of token: String) {
        guard let encoded = token.split(separator: ".", omittingEmptySubsequences: false).first else { return nil }
        let base64 = String(encoded.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
        let padded = base64 + String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: padded), let head = try? JSONDecoder().decode(JWTHead.self, from: data)
        else {
            return nil
        }
        self = head
    }
}
