import Duet
import DuetContext
import DuetHTTP
import DuetHummingbird
import Foundation
import GRDB
import Hummingbird

/// The server: one handler for each message, and one mount.
func makeRouter(
    _ database: any DatabaseWriter,
    passwordRounds: Int = 16_384,
    now: @escaping @Sendable () -> Date
) async throws -> Router<BasicRequestContext> {
    try database.migrate()
    let tokens = try await Tokens(database, now: now)
    let dispatcher = try StandardDispatcher {
        RegisterHandler(database: database, passwordRounds: passwordRounds)
        LoginHandler(database: database, passwordRounds: passwordRounds, tokens: tokens)
        GetUserHandler(database: database, tokens: tokens)
        UpdateUserHandler(database: database, passwordRounds: passwordRounds)
        GetProfileHandler(database: database)
        FollowHandler(database: database)
        UnfollowHandler(database: database)
        ListArticlesHandler(database: database)
        GetFeedHandler(database: database)
        GetArticleHandler(database: database)
        CreateArticleHandler(database: database, now: now)
        UpdateArticleHandler(database: database, now: now)
        DeleteArticleHandler(database: database)
        FavoriteHandler(database: database)
        UnfavoriteHandler(database: database)
        ListCommentsHandler(database: database)
        GetCommentHandler(database: database)
        AddCommentHandler(database: database, now: now)
        DeleteCommentHandler(database: database)
        ListTagsHandler(database: database)
    }
    let router = Router()
    try router.mount(
        .realWorld,
        dispatcher,
        at: "/api",
        authenticator: tokens.authenticator.reading(.authorization("Token")).or(tokens.authenticator),
        options: MountOptions(settings: .realWorld, refusals: Refusal.format, maximumJSONBody: 1_000_000)
    )
    return router
}
