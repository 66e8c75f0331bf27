import Duet
import DuetHTTP
import HTTPTypes

/// The sender of a message, with a token for the next ones.
struct User: Codable, Hashable, Sendable {
    let username: String
    let email: String
    @Nullable var bio: String?
    @Nullable var image: String?
    let token: String
}

// POST users/login. A query, because it can be repeated without harm.
struct Login: HTTPQuery, Hashable, Validatable {
    typealias Value = User
    static let route: QueryRoute<Self> = .post("users/login").envelope("user")

    struct Credentials: Codable, Hashable, Sendable {
        let email: String
        let password: String
    }

    let user: Credentials

    func validate() throws { try Refusal.check(["email": user.email, "password": user.password]) }
}

// POST users, which responds as the login does that follows it.
struct Register: HTTPCommand, AnsweredCommand, Validatable {
    static let route: CommandRoute<Self> = .post("users").responding(with: .created)

    struct NewUser: Codable, Sendable {
        let username: String
        let email: String
        let password: String
    }

    let user: NewUser

    func answer(from _: User?) -> Login? { Login(user: .init(email: user.email, password: user.password)) }

    func validate() throws {
        try Refusal.check(["username": user.username, "email": user.email, "password": user.password])
    }
}

// GET user
struct GetUser: HTTPQuery, Hashable {
    typealias Value = User
    static let route: QueryRoute<Self> = .get("user").envelope("user")
}

// PUT user
struct UpdateUser: HTTPCommand, AnsweredCommand, Validatable {
    static let route: CommandRoute<Self> = .put("user")

    struct Changes: Codable, Sendable {
        var username = JSONMember<String>.absent
        var email = JSONMember<String>.absent
        var password = JSONMember<String>.absent
        var bio = JSONMember<String>.absent
        var image = JSONMember<String>.absent
    }

    let user: Changes

    func answer(from _: User?) -> GetUser? { GetUser() }

    func validate() throws {
        try Refusal.check("username", user.username)
        try Refusal.check("email", user.email)
        try Refusal.check("password", user.password)
        try Refusal.check("bio", user.bio, .optionalText)
        try Refusal.check("image", user.image, .optionalLine)
    }
}

/// A user as others see them.
struct Profile: Codable, Hashable, Sendable {
    let username: String
    @Nullable var bio: String?
    @Nullable var image: String?
    /// Whether the sender of the query follows this user.
    let following: Bool
}

// GET profiles/{username}
struct GetProfile: HTTPQuery, Hashable {
    typealias Value = Profile
    static let route: QueryRoute<Self> = .get("profiles/{username}").envelope("profile")

    let username: String
}

// POST profiles/{username}/follow
struct Follow: HTTPCommand, AnsweredCommand {
    static let route: CommandRoute<Self> = .post("profiles/{username}/follow")

    let username: String

    func answer(from _: Profile?) -> GetProfile? { GetProfile(username: username) }
}

// DELETE profiles/{username}/follow
struct Unfollow: HTTPCommand, AnsweredCommand {
    static let route: CommandRoute<Self> = .delete("profiles/{username}/follow")

    let username: String

    func answer(from _: Profile?) -> GetProfile? { GetProfile(username: username) }
}
