import Crypto
import Duet
import DuetContext
import DuetHTTP
import FeedFeature
import Foundation
import GRDB

extension Database {
    /// How long the keys of handled commands are kept: a day, which is far longer than senders repeat a request.
    private static let keyLifetime: TimeInterval = 24 * 60 * 60

    /// Makes a change once for each idempotency key, and stores the key in the same transaction.
    ///
    /// The key of a command without an effect is not stored: its repeat changes nothing either, and keys would fill the
    /// database.
    ///
    /// - Throws: `IdempotencyKeyReused` if the key belongs to another command; the error of `change`.
    func once(
        _ key: HandledKey,
        _ fingerprint: CommandFingerprint,
        now: Date,
        change: (_ db: Database) throws -> Void
    ) throws {
        try executeCached("DELETE FROM handled_command WHERE expires_at <= ?", [now.millisecondsSince1970])
        if let handled = try self.fingerprint(ofHandled: key, at: now) {
            guard handled == fingerprint.text else { throw IdempotencyKeyReused(key: key.text) }
            return
        }
        let changes = totalChangesCount
        try change(self)
        guard totalChangesCount > changes else { return }
        try insert(fingerprint, key, expiresAt: now.addingTimeInterval(Self.keyLifetime))
    }
}

/// An idempotency key and the principal that sent it; nobody can interfere with the keys of others.
struct HandledKey {
    let text: String
    let principal: String

    /// Returns the key of the command that the current task handles; nil if it came without one.
    static var current: HandledKey? {
        IdempotencyKey.asSent.map { HandledKey(text: $0, principal: Principal.current?.id ?? "") }
    }
}

/// Identifies the content of a command: the SHA-256 hash of its name and its properties.
struct CommandFingerprint {
    let text: String

    init<C: Command & Encodable>(of command: C) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        // An image counts by its hash, because its base64 would be copied several times.
        encoder.dataEncodingStrategy = .custom { data, encoder in
            try Array(SHA256.hash(data: data)).encode(to: encoder)
        }
        let properties = String(decoding: try encoder.encode(command), as: UTF8.self)
        text = "\(TokenHash(of: "\(C.messageName) \(properties)"))"
    }
}

extension Database {
    /// Returns the fingerprint of the command that had an effect under a key, unless the key has expired.
    func fingerprint(ofHandled key: HandledKey, at now: Date) throws -> String? {
        let sql = """
            SELECT fingerprint FROM handled_command WHERE principal = ? AND key = ? AND expires_at > ? AND is_effective
            """
        return try first(sql, [key.principal, key.text, now.millisecondsSince1970])
    }

    private func insert(_ fingerprint: CommandFingerprint, _ key: HandledKey, expiresAt: Date) throws {
        // Earlier versions have stored commands without an effect, too.
        let sql = """
            INSERT OR REPLACE INTO handled_command (principal, key, fingerprint, is_effective, expires_at)
            VALUES (?, ?, ?, 1, ?)
            """
        try executeCached(sql, [key.principal, key.text, fingerprint.text, expiresAt.millisecondsSince1970])
    }
}
