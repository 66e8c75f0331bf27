import ArgumentParser
import Duet

struct Articles: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List articles, the newest first.")

    @Flag(help: "Only articles of users whom you follow.") var feed = false
    @Option(help: "Only articles with this tag.") var tag: String?
    @Option(help: "Only articles of this user.") var author: String?
    @Option(help: "Only articles that this user likes.") var favorited: String?
    @Option(help: "The number of the page, from 1.") var page = 1
    @Option(help: "The number of articles on a page.") var limit = 20
    @OptionGroup var options: ClientOptions

    func validate() throws {
        guard 1...1_000_000 ~= page, 1...100 ~= limit else {
            throw ValidationError("--page is 1 to 1000000, and --limit is 1 to 100.")
        }
        guard !feed || (tag ?? author ?? favorited) == nil else { throw ValidationError("--feed has no other filter.") }
    }

    func run() async throws {
        let offset = (page - 1) * limit
        let query = ListArticles(tag: tag, author: author, favorited: favorited, offset: offset, limit: limit)
        try await options.withDispatcher { api in
            let list =
                feed
                ? try await api.value(of: GetFeed(offset: offset, limit: limit)) : try await api.value(of: query)
            for article in list.articles { show(article.line) }
            let pages = max(1, (list.articlesCount + limit - 1) / limit)
            show("Page \(page) of \(pages), \(list.articlesCount) articles")
        }
    }
}

struct Read: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Show an article and its comments.")

    @Argument(help: "The slug of the article, as in the list.") var slug: String
    @OptionGroup var options: ClientOptions

    func run() async throws {
        try await options.withDispatcher { api in
            let article = try await api.value(of: GetArticle(slug: slug))
            show("\(article.title)\nBy \(article.author.username)\(article.likes)\n\n\(article.body ?? "")")
            for comment in try await api.value(of: ListComments(slug: slug)) { show(comment.line) }
        }
    }
}

struct Tags: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List the tags of all articles.")

    @OptionGroup var options: ClientOptions

    func run() async throws {
        try await options.withDispatcher { api in
            for tag in try await api.value(of: ListTags()) { show(tag.line) }
        }
    }
}

struct ProfileCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "profile", abstract: "Show a user.")

    @Argument(help: "The name of the user.") var username: String
    @OptionGroup var options: ClientOptions

    func run() async throws {
        try await options.withDispatcher { api in show(try await api.value(of: GetProfile(username: username)).text) }
    }
}

extension Article {
    var line: String { "\(slug)  \(title), by \(author.username)\(likes)".line }

    var likes: String {
        favoritesCount == 0 ? "" : ", liked by \(favoritesCount)\(favorited ? ", also by you" : "")"
    }
}

extension Comment {
    var line: String { "\(id)  \(author.username): \(body)".line }
}

extension Profile {
    var text: String { "\(username)\(following ? ", whom you follow" : "")\(bio.map { "\n\($0)" } ?? "")" }
}
