import Duet
import DuetContext
import DuetJWT
import Foundation
import FuzzTesting
import JWTKit

/// The reader of JSON Web Tokens, which accepts none but those that were signed with its key.
enum TokenTarget {
    /// Signed with HS256 for the subject `anna`, until 2255.
    private static let signed = """
        eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.\
        eyJpc3MiOiJpc3N1ZXIiLCJhdWQiOiJub3RlcyIsInN1YiI6ImFubmEiLCJleHAiOjkwMDAwMDAwMDB9.
        """

    static func read(_ input: [UInt8]) async -> FuzzVerdict {
        let token = String(decoding: input, as: UTF8.self)
        do {
            let keys = await JWTKeyCollection().add(
                hmac: HMACKey(from: String(repeating: "a secret", count: 8)),
                digestAlgorithm: .sha256
            )
            let authenticator = try JWTAuthenticator(keys: keys, issuer: "issuer", audience: "notes") {
                Date(timeIntervalSince1970: 1_800_000_000)
            }
            guard let principal = try await authenticator.principal(bearing: token) else { return .fine }
            let isSigned = token.utf8.starts(with: signed.utf8) && principal.hasID("anna")
            return isSigned ? .fine : .fault("\(principal) was accepted")
        } catch {
            return .fault("\(error)")
        }
    }
}
