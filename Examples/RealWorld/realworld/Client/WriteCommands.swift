import ArgumentParser
import Duet
import DuetHTTP
import Foundation

private let passwordHelp = "The password is read from REALWORLD_PASSWORD or from the terminal."

struct RegisterCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "register",
        abstract: "Create an account, and print its token.",
        discussion: passwordHelp
    )

    @Argument(help: "The name that others see.") var username: String
    @Argument(help: "The address for the login.") var email: String
    @OptionGroup var options: ClientOptions

    func run() async throws {
        let user = Register.NewUser(username: username, email: email, password: try readPassword())
        try await options.withDispatcher(sendsToken: false) { api in
            show(try await api.answer(to: Register(user: user)).token)
        }
    }
}

struct LoginCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "login",
        abstract: "Print a token: export REALWORLD_TOKEN=$(realworld login ADDRESS)",
        discussion: passwordHelp
    )

    @Argument(help: "The address of the account.") var email: String
    @OptionGroup var options: ClientOptions

    func run() async throws {
        let user = Login.Credentials(email: email, password: try readPassword())
        try await options.withDispatcher(sendsToken: false) { api in
            show(try await api.dispatch(Login(user: user)).token)
        }
    }
}

struct Settings: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Show your account, or change it.")

    @Option(help: "A new name.") var username: String?
    @Option(help: "A new address.") var email: String?
    @Option(help: "A text about you; an empty one removes it.") var bio: String?
    @Option(help: "The address of a picture; an empty one removes it.") var image: String?
    @OptionGroup var options: ClientOptions

    func run() async throws {
        var changes = UpdateUser.Changes()
        if let username { changes.username = .value(username) }
        if let email { changes.email = .value(email) }
        if let bio { changes.bio = bio.isEmpty ? .null : .value(bio) }
        if let image { changes.image = image.isEmpty ? .null : .value(image) }
        let isChange = [username, email, bio, image].contains { $0 != nil }
        try await options.withDispatcher { api in
            let user =
                isChange ? try await api.answer(to: UpdateUser(user: changes)) : try await api.dispatch(GetUser())
            show("\(user.username), \(user.email)\(user.bio.map { "\n\($0)" } ?? "")")
        }
    }
}

struct Publish: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Publish the text of standard input.")

    @Argument(help: "The title.") var title: String
    @Option(help: "One sentence about the article.") var about: String
    @Option(help: "A tag; repeat the option for several.") var tag: [String] = []
    @OptionGroup var options: ClientOptions

    func run() async throws {
        let text = try readText()
        let article = CreateArticle.NewArticle(title: title, description: about, body: text, tagList: tag)
        try await options.withDispatcher { api in show(try await api.answer(to: CreateArticle(article: article)).line) }
    }
}

struct Edit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Change an article of yours.")

    @Argument(help: "The slug of the article.") var slug: String
    @Option(help: "A new title, which changes the slug.") var title: String?
    @Option(help: "A new sentence about the article.") var about: String?
    @Option(help: "A tag; repeat the option for several. They replace all others.") var tag: [String] = []
    @Flag(help: "Replace the text by that of standard input.") var text = false
    @OptionGroup var options: ClientOptions

    func validate() throws {
        guard title != nil || about != nil || !tag.isEmpty || text else {
            throw ValidationError("There is nothing to change. See --help.")
        }
    }

    func run() async throws {
        var changes = UpdateArticle.Changes()
        if let title { changes.title = .value(title) }
        if let about { changes.description = .value(about) }
        if !tag.isEmpty { changes.tagList = .value(tag) }
        if text { changes.body = .value(try readText()) }
        try await options.withDispatcher { api in
            show(try await api.answer(to: UpdateArticle(slug: slug, article: changes)).line)
        }
    }
}

struct Delete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Delete an article of yours, or a comment.")

    @Argument(help: "The slug of the article.") var slug: String
    @Option(help: "The number of the comment, as in the list.") var comment: Int64?
    @OptionGroup var options: ClientOptions

    func run() async throws {
        try await options.withDispatcher { api in
            if let comment {
                try await api.dispatch(DeleteComment(slug: slug, id: comment))
            } else {
                try await api.dispatch(DeleteArticle(slug: slug))
            }
        }
    }
}

struct Like: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Like an article, or no longer.")

    @Argument(help: "The slug of the article.") var slug: String
    @Flag(help: "Do not like it any longer.") var undo = false
    @OptionGroup var options: ClientOptions

    func run() async throws {
        try await options.withDispatcher { api in
            let article =
                undo ? try await api.answer(to: Unfavorite(slug: slug)) : try await api.answer(to: Favorite(slug: slug))
            show(article.line)
        }
    }
}

struct FollowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "follow", abstract: "Follow a user, or no longer.")

    @Argument(help: "The name of the user.") var username: String
    @Flag(help: "Do not follow the user any longer.") var undo = false
    @OptionGroup var options: ClientOptions

    func run() async throws {
        try await options.withDispatcher { api in
            let profile =
                undo
                ? try await api.answer(to: Unfollow(username: username))
                : try await api.answer(to: Follow(username: username))
            show(profile.text)
        }
    }
}

struct CommentCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "comment", abstract: "Comment on an article.")

    @Argument(help: "The slug of the article.") var slug: String
    @Argument(help: "The text.") var text: String
    @OptionGroup var options: ClientOptions

    func run() async throws {
        try await options.withDispatcher { api in
            show(try await api.answer(to: AddComment(slug: slug, comment: .init(body: text))).line)
        }
    }
}
