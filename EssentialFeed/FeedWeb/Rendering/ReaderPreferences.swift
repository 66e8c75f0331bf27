import DuetHTTP
import FeedPresentation
import HTTPTypes
import Hummingbird

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
