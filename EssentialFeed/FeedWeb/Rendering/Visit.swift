import DuetHTTP
import FeedPresentation
import HTTPTypes
import Hummingbird

/// What a request says about the one who reads.
struct Visit: Sendable {
    /// The language to answer in.
    let language: Language

    /// The language that the address itself names, and that links therefore carry on.
    let chosenLanguage: Language?

    init(_ request: Request) {
        chosenLanguage = request.uri.queryParameters["lang"].flatMap { Language(tag: String($0)) }
        language =
            chosenLanguage ?? Language(preferring: FieldList.preferences(request.headers[values: .acceptLanguage]))
    }
}
