import Crypto
import CryptoExtras
import Duet
import DuetJWT
import Foundation
import GRDB
import JWTKit
import NIOPosix

/// A user in the database.
struct Account: Sendable {
    let id: Int64
    let username: String
    let email: String
    let bio: String?
    let image: String?
    let password: Password

    init(_ row: Row) {
        (id, username, email) = (row["id"], row["username"], row["email"])
        (bio, image) = (row["bio"], row["image"])
        password = Password(salt: row["salt"], hash: SymmetricKey(data: row["password"] as Data))
    }
}

/// A password as it is stored, whose hash is a key, because keys are compared in constant time.
struct Password: Equatable, Sendable {
    let salt: Data
    let hash: SymmetricKey

    /// Hashes a password with scrypt (RFC 7914), which is slow on purpose and so has its own threads.
    ///
    /// - Parameter rounds: The cost, a power of two.
    static func hashing(
        _ password: String,
        salt: Data = SymmetricKey(size: .bits128).data,
        rounds: Int
    ) async throws -> Password {
        try await NIOThreadPool.singleton.runIfActive {
            let hash = try KDF.Scrypt.deriveKey(
                from: Data(password.utf8),
                salt: salt,
                outputByteCount: 32,
                rounds: rounds,
                blockSize: 8,
                parallelism: 5
            )
            return Password(salt: salt, hash: hash)
        }
    }
}

/// The tokens of the API.
struct Tokens: Sendable {
    private struct Claims: JWTPayload {
        var iss = Tokens.issuer
        var aud = Tokens.issuer
        let sub: String
        let exp: Double

        func verify(using algorithm: some JWTAlgorithm) {}
    }

    private static let issuer = "realworld"

    let authenticator: JWTAuthenticator
    private let keys: JWTKeyCollection
    private let now: @Sendable () -> Date

    /// Signs with the secret of a database, which gets one with its first server.
    init(_ database: any DatabaseWriter, now: @escaping @Sendable () -> Date) async throws {
        let secret = try await database.write { db in
            if let secret = try Data.fetchOne(db, sql: "SELECT key FROM secret") { return secret }
            let secret = SymmetricKey(size: .bits256).data
            try db.execute(sql: "INSERT INTO secret (key) VALUES (?)", arguments: [secret])
            return secret
        }
        keys = await JWTKeyCollection().add(hmac: HMACKey(from: secret), digestAlgorithm: .sha256)
        self.now = now
        authenticator = try JWTAuthenticator(keys: keys, issuer: Self.issuer, audience: .init(Self.issuer), now: now)
    }

    /// Returns a user with a token that is valid for 60 days.
    func user(_ account: Account) async throws -> User {
        let claims = Claims(sub: String(account.id), exp: now().timeIntervalSince1970 + 60 * 24 * 3_600)
        return User(
            username: account.username,
            email: account.email,
            bio: account.bio,
            image: account.image,
            token: try await keys.sign(claims)
        )
    }
}

extension SymmetricKey {
    var data: Data { unsafe withUnsafeBytes { bytes in unsafe Data(bytes) } }
}

extension Principal {
    /// The user of the current message, whose row has this identifier; nil for a reader without a token.
    static var user: Int64? { current.flatMap { Int64($0.id) } }

    /// The user of a message that needs one.
    static func requiredUser() throws -> Int64 {
        guard let user else { throw Refusal.noToken }
        return user
    }
}
