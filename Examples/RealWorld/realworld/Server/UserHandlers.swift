import Duet
import DuetContext
import DuetHTTP
import DuetSQLite
import Foundation
import GRDB

struct RegisterHandler: CommandHandler {
    let database: any DatabaseWriter
    let passwordRounds: Int

    func handle(_ command: Register) async throws {
        let (user, key) = (command.user, IdempotencyKey.current(for: Register.self))
        let password = try await Password.hashing(user.password, rounds: passwordRounds)
        try await database.write { db in
            // A repeated request has created the account before.
            guard try SQLiteCommandInbox().claim(key, in: db) else { return }
            try db.checkFree(username: user.username, email: user.email, except: nil)
            try db.execute(
                literal: """
                    INSERT INTO user (username, email, password, salt)
                    VALUES (\(user.username), \(user.email), \(password.hash.data), \(password.salt))
                    """
            )
        }
    }
}

struct LoginHandler: QueryHandler {
    let database: any DatabaseWriter
    let passwordRounds: Int
    let tokens: Tokens

    func handle(_ query: Login) async throws -> User {
        let account = try await database.read { db in
            try db.row("SELECT * FROM user WHERE email = \(query.user.email)").map(Account.init)
        }
        // Without an account, a password is hashed, too, so that the time does not show which addresses are known.
        let salt = account?.password.salt ?? Data(count: 16)
        let password = try await Password.hashing(query.user.password, salt: salt, rounds: passwordRounds)
        guard let account, account.password == password else { throw Refusal.wrongPassword }
        return try await tokens.user(account)
    }
}

struct GetUserHandler: QueryHandler {
    let database: any DatabaseWriter
    let tokens: Tokens

    func handle(_ query: GetUser) async throws -> User {
        let id = try Principal.requiredUser()
        return try await tokens.user(try await database.read { try $0.account(id) })
    }
}

struct UpdateUserHandler: CommandHandler {
    let database: any DatabaseWriter
    let passwordRounds: Int

    func handle(_ command: UpdateUser) async throws {
        let (id, changes) = (try Principal.requiredUser(), command.user)
        var password: Password?
        if let new = changes.password.applied(to: nil) {
            password = try await Password.hashing(new, rounds: passwordRounds)
        }
        try await database.write { [password] db in
            let old = try db.account(id)
            let username = changes.username.applied(to: old.username) ?? ""
            let email = changes.email.applied(to: old.email) ?? ""
            try db.checkFree(username: username, email: email, except: id)
            let stored = password ?? old.password
            try db.execute(
                literal: """
                    UPDATE user SET username = \(username), email = \(email),
                        password = \(stored.hash.data), salt = \(stored.salt),
                        bio = NULLIF(\(changes.bio.applied(to: old.bio)), ''),
                        image = NULLIF(\(changes.image.applied(to: old.image)), '')
                    WHERE id = \(id)
                    """
            )
        }
    }
}

struct GetProfileHandler: QueryHandler {
    let database: any DatabaseWriter

    func handle(_ query: GetProfile) async throws -> Profile {
        let reader = Principal.user
        return try await database.read { Profile(try $0.profile(query.username, for: reader)) }
    }
}

struct FollowHandler: CommandHandler {
    let database: any DatabaseWriter

    func handle(_ command: Follow) async throws {
        let user = try Principal.requiredUser()
        try await database.write { db in
            let followed: Int64 = try db.profile(command.username)["id"]
            try db.execute(
                literal: "INSERT OR IGNORE INTO follow (follower, followed) VALUES (\(user), \(followed))"
            )
        }
    }
}

struct UnfollowHandler: CommandHandler {
    let database: any DatabaseWriter

    func handle(_ command: Unfollow) async throws {
        let user = try Principal.requiredUser()
        try await database.write { db in
            let followed: Int64 = try db.profile(command.username)["id"]
            try db.execute(literal: "DELETE FROM follow WHERE follower = \(user) AND followed = \(followed)")
        }
    }
}
