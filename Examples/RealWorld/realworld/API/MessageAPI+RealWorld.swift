import Duet
import DuetHTTP

extension MessageAPI {
    /// The messages of the specification, and who may send them.
    static let realWorld = MessageAPI("realworld", throwing: Refusal.self, authorized: .principal) {
        Register.authorized(.open)
        Login.authorized(.open)
        GetUser.self
        UpdateUser.self
        GetProfile.authorized(.open)
        Follow.self
        Unfollow.self
        ListArticles.authorized(.open)
        GetFeed.self
        GetArticle.authorized(.open)
        CreateArticle.self
        UpdateArticle.self
        DeleteArticle.self
        Favorite.self
        Unfavorite.self
        ListComments.authorized(.open)
        GetComment.authorized(.open).not(over: .http)
        AddComment.self
        DeleteComment.self
        ListTags.authorized(.open)
    }
}

extension HTTPSettings {
    /// JavaScript reads three digits of a second.
    static let realWorld = HTTPSettings(coding: HTTPCoding(dates: .rfc3339(digits: 3)))
}
