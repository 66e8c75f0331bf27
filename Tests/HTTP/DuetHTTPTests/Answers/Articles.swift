import Duet
import DuetCaching
import DuetHTTP
import DuetTesting
import Foundation
import HTTPTypes
import Synchronization

struct Article: Codable, Hashable {
    let slug: String
    var favorites = 0
}

struct GetArticle: HTTPQuery, Hashable {
    typealias Value = Article
    static let route: QueryRoute<Self> = .get("articles/{slug}").responseHeaders([.cacheControl: "max-age=60"])
    let slug: String
}

/// Hides the article with this slug.
struct GetFeed: HTTPQuery, Hashable {
    typealias Value = [Article]
    static let route: QueryRoute<Self> = .get("articles/feed")
}

/// Only the handler knows the slug.
struct CreateArticle: HTTPCommand, AnsweredCommand {
    static let route: CommandRoute<Self> = .post("articles").responding(with: .created)
        .responseHeaders([.allow: "POST"])
    var title = "First"
    func answer(from content: Article?) -> GetArticle? { content.map { GetArticle(slug: $0.slug) } }
}

/// The command itself tells the slug.
struct Favorite: HTTPCommand, AnsweredCommand {
    static let route: CommandRoute<Self> = .post("articles/{slug}/favorite")
    let slug: String
    func answer(from content: Article?) -> GetArticle? { GetArticle(slug: slug) }
}

/// Has no content by its own choice.
struct RenameArticle: HTTPCommand, AnsweredCommand {
    static let route: CommandRoute<Self> = .put("articles/{slug}").responding(with: .noContent)
    let slug: String
    func answer(from content: Article?) -> GetArticle? { GetArticle(slug: slug) }
}

/// An optional value that cannot be requested.
struct GetNote: HTTPQuery, Hashable {
    typealias Value = String?
    static let route: QueryRoute<Self> = .get("notes/{slug}")
    let slug: String
}

struct SetNote: HTTPCommand, AnsweredCommand {
    static let route: CommandRoute<Self> = .post("articles/{slug}/note").responding(with: .created)
    let slug: String
    var text: String?
    func answer(from content: String??) -> GetNote? { GetNote(slug: slug) }
}

struct GetPicture: HTTPQuery, Hashable {
    typealias Value = HTTPBytes
    static let route: QueryRoute<Self> = .get("pictures/{slug}")
    let slug: String
}

struct DrawPicture: HTTPCommand, AnsweredCommand {
    static let route: CommandRoute<Self> = .post("pictures/{slug}")
    let slug: String
    func answer(from content: HTTPBytes?) -> GetPicture? { GetPicture(slug: slug) }
}

/// The state of a server, and the requests that it has received.
final class Press: Sendable {
    struct State {
        var articles: [String: Article] = [:]
        var notes: [String: String] = [:]
        /// The names of the handled messages.
        var handled: [String] = []
        var events: [String] = []
        var failure: (any Error)?
    }

    static let editor = "Bearer editor"
    static let writer = "Bearer writer"
    static let tokens = StaticTokenAuthenticator([
        TokenHash(of: "editor"): Principal(id: "ada", scopes: ["read", "write"]),
        TokenHash(of: "writer"): Principal(id: "bob", scopes: ["write"]),
    ])

    static let api = MessageAPI("press", authorized: .scope("write")) {
        GetArticle.authorized(.scope("read"))
        GetFeed.self
        CreateArticle.self
        Favorite.self
        RenameArticle.self
        GetNote.not(over: .http)
        SetNote.self
        GetPicture.self
        DrawPicture.self
    }

    let state = Mutex(State())
    /// Is called at the end of each command.
    let onCommand = Mutex<(@Sendable () -> Void)?>(nil)

    var handled: [String] { state.withLock(\.handled) }
    var events: [String] { state.withLock(\.events) }

    func fail(with error: any Error) { state.withLock { $0.failure = error } }

    func dispatcher() throws -> StandardDispatcher {
        try StandardDispatcher {
            CreateHandler(press: self)
            ChangeHandler<Favorite>(press: self) { state, command in
                state.articles[command.slug, default: Article(slug: command.slug)].favorites += 1
            }
            ChangeHandler<RenameArticle>(press: self) { _, _ in }
            ChangeHandler<SetNote>(press: self) { state, command in state.notes[command.slug] = command.text }
            ChangeHandler<DrawPicture>(press: self) { _, _ in }
            ReadHandler<GetArticle>(press: self) { $0.articles[$1.slug] ?? Article(slug: $1.slug) }
            ReadHandler<GetFeed>(press: self) { state, _ in state.articles.values.sorted { $0.slug < $1.slug } }
            ReadHandler<GetNote>(press: self) { $0.notes[$1.slug] }
            ReadHandler<GetPicture>(press: self) { HTTPBytes(Data($1.slug.utf8), mediaType: "image/png") }
        }
    }

    func service(
        _ dispatcher: (any Dispatcher)? = nil,
        _ options: MountOptions = MountOptions()
    ) throws -> HTTPService {
        try HTTPService(
            Self.api,
            dispatcher ?? self.dispatcher(),
            at: "/api",
            authenticator: Self.tokens,
            options: options
        ) { event in self.state.withLock { $0.events.append("\(event)") } }
    }

    func change(_ name: String, _ change: (inout State) -> Void) {
        state.withLock { state in
            state.handled.append(name)
            change(&state)
        }
        onCommand.withLock(\.self)?()
    }

    struct CreateHandler: AnsweringHandler {
        let press: Press
        func handle(_ command: CreateArticle) async throws -> GetArticle {
            let slug = command.title.lowercased()
            press.change("CreateArticle") { $0.articles[slug] = Article(slug: slug) }
            return GetArticle(slug: slug)
        }
    }

    struct ChangeHandler<Message: Command>: CommandHandler {
        let press: Press
        let change: @Sendable (inout State, Message) -> Void
        func handle(_ command: Message) async throws { press.change("\(Message.self)") { change(&$0, command) } }
    }

    struct ReadHandler<Message: Query>: QueryHandler where Message.Value: Sendable {
        let press: Press
        let value: @Sendable (State, Message) -> Message.Value
        func handle(_ query: Message) async throws -> Message.Value {
            let state = press.state.withLock { state in
                state.handled.append("\(Message.self)")
                return state
            }
            if let failure = state.failure { throw failure }
            return value(state, query)
        }
    }
}
