import DuetHTTP
import FeedPresentation
import Foundation
import HTTPTypes
import Hummingbird

/// The values of a template, under the names that the templates use.
struct Page<Content> {
    let title: String
    let error: String?
    let content: Content
    let language: String
    let chosenLanguage: String?
    let query: String
    let text: [String: String]

    init(title: String, error: String? = nil, content: Content, preferences: ReaderPreferences) {
        self.title = title
        self.error = error
        self.content = content
        language = preferences.language.tag
        chosenLanguage = preferences.chosenLanguage?.tag
        query = preferences.chosenLanguage.map { "?lang=\($0.tag)" } ?? ""
        // A dot in a template accesses a member, so texts have their Swift names.
        text = Dictionary(uniqueKeysWithValues: Text.allCases.map { ("\($0)", preferences.language[$0]) })
    }
}

/// The reader's preferences in a request.
struct ReaderPreferences: Sendable {
    /// The language of the response.
    let language: Language

    /// The language in the URL, which links keep.
    let chosenLanguage: Language?

    init(_ request: Request) {
        chosenLanguage = request.uri.queryParameters["lang"].flatMap { Language(tag: String($0)) }
        language =
            chosenLanguage ?? Language(preferring: FieldList.preferences(request.headers[values: .acceptLanguage]))
    }
}

/// The content of the template for comments.
struct Discussion {
    struct Comment {
        let username: String
        let initial: String
        /// The number of the avatar's color, 0 to 4, which depends only on the user name.
        let tone: Int
        let message: String
        let date: String
        let timestamp: String

        init(_ comment: ImageCommentViewModel) {
            username = comment.username
            initial = comment.username.first.map { $0.uppercased() } ?? ""
            tone = comment.username.unicodeScalars.reduce(0) { ($0 + Int($1.value)) % 5 }
            message = comment.message
            date = comment.date
            timestamp = comment.createdAt.ISO8601Format()
        }
    }

    let image: FeedImageViewModel?
    let comments: [Comment]
    let emptyMessage: String?
}
