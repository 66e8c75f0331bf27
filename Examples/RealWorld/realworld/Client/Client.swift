import Crypto
import Duet
import DuetCaching
import DuetHTTP
import DuetSQLite
import Foundation

/// The client of the API: the messages over HTTP, the API's own errors, and stored values for times without a server.
func makeClient(
    _ network: any HTTPClient,
    at server: BaseURL,
    token: String?,
    store: some CacheStore,
    timeout: Duration = .seconds(15)
) throws -> CachingDispatcher {
    let client = token.map { network.authenticated(by: ConstantTokenSource($0, scheme: "Token")) } ?? network
    let api = try HTTPDispatcher(
        .realWorld,
        baseURL: server,
        client: client.retrying().limiting(bodySize: 10_000_000).deadline(timeout),
        settings: .realWorld
    )
    let memory = CacheMemory.memory(limit: .entries(1_000)).backed(by: store) { warn("\($0)") }
    return try api.decodingErrors { try Refusal($0, $1) }.caching(in: memory) {
        Cache(GetArticle.self, .offline()).stored(version: 1)
        Cache(ListArticles.self, .offline()).stored(version: 1)
        Cache(GetFeed.self, .offline()).stored(version: 1)
        Cache(ListComments.self, .offline()).stored(version: 1)
        Cache(GetProfile.self, .offline()).stored(version: 1)
        Cache(ListTags.self, .offline()).stored(version: 1)

        // The answer of a command needs no rule.
        Invalidate(ListArticles.self, after: CreateArticle.self, UpdateArticle.self, DeleteArticle.self)
        Invalidate(ListArticles.self, after: Favorite.self, Unfavorite.self)
        Invalidate(ListArticles.self, after: Follow.self, Unfollow.self, UpdateUser.self)
        Invalidate(GetFeed.self, after: CreateArticle.self, UpdateArticle.self, DeleteArticle.self)
        Invalidate(GetFeed.self, after: Favorite.self, Unfavorite.self, Follow.self, Unfollow.self, UpdateUser.self)
        Invalidate(ListTags.self, after: CreateArticle.self, UpdateArticle.self, DeleteArticle.self)
        Invalidate(GetArticle.self, after: UpdateArticle.self, DeleteArticle.self)
        Invalidate(GetArticle.self, after: Follow.self, Unfollow.self, UpdateUser.self)
        Invalidate(ListComments.self, after: AddComment.self, DeleteComment.self, UpdateUser.self)
        Invalidate(ListComments.self, after: UpdateArticle.self, DeleteArticle.self, Follow.self, Unfollow.self)
        Invalidate(GetProfile.self, after: UpdateUser.self)
    }
}

extension CachePolicy {
    /// Values of the last seconds, and those of the last week while the server does not respond.
    fileprivate static func offline() -> CachePolicy { .maxAge(.seconds(10)).staleIfError(.days(7)) }
}

/// The file with the stored values of one user of one server.
func storePath(in folder: URL, server: String, token: String?) -> String {
    let digest = SHA256.hash(data: Data("\(server) \(token ?? "")".utf8))
    let name = digest.prefix(8).map { String(format: "%02x", $0) }.joined()
    return folder.appending(component: "\(name).sqlite").path
}
