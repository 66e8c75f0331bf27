import FeedPresentation
import Foundation

/// The values of a template, under the names that the templates use.
struct Page<Content> {
    let title: String
    let heading: String
    /// The page for search engines and previews.
    let summary: String
    let error: String?
    let content: Content
    let isSignedIn: Bool
    let offersPublishing: Bool
    let offersEditing: Bool
    /// Whether the page is the one of this reader, and not one for everyone.
    let hasSession: Bool
    /// The server's time, for a script whose clock may be wrong.
    let now: String?
    let language: String
    let chosenLanguage: String?
    let languages: [LanguageLink]
    let query: String
    let preview: Preview?
    let signIn: String
    /// The version of the style and the script that belong to this page.
    let version = Asset.version
    let text: [String: String]
    let messages: String

    /// - Parameters:
    ///   - heading: The heading, which also begins the title; nil for the feed's title.
    ///   - summary: A description of the page; nil for the feed's.
    ///   - image: The path of the image that represents the page.
    init(
        heading: String? = nil,
        summary: String? = nil,
        image: String? = nil,
        error: String? = nil,
        content: Content,
        now: Date? = nil,
        visit: Visit
    ) {
        let language = visit.language
        self.heading = heading ?? language[.feedTitle]
        title = heading.map { "\($0.shortened(to: 80)) – \(language[.feedTitle])" } ?? language[.feedTitle]
        self.summary = (summary ?? language[.feedSummary]).shortened(to: 200)
        self.error = error
        self.content = content
        self.language = language.tag
        isSignedIn = visit.isSignedIn
        offersPublishing = visit.session.offersPublishing
        offersEditing = visit.session.offersEditing
        hasSession = !visit.path.isEmpty
        self.now = now?.ISO8601Format()
        chosenLanguage = visit.chosenLanguage?.tag
        languages = LanguageLink.all(for: visit)
        query = visit.query
        preview = visit.address.url(of: visit.path).map { url in
            Preview(url: url, image: image.flatMap { visit.address.url(of: $0) })
        }
        signIn = visit.signIn
        text = PageTexts.templates[language] ?? [:]
        messages = PageTexts.script[language] ?? "{}"
    }
}

enum PageTexts {
    /// The texts of the templates.
    ///
    /// A dot in a template accesses a member, so they have their Swift names.
    static let templates = inEachLanguage { language in
        Dictionary(uniqueKeysWithValues: Text.allCases.map { ("\($0)", language[$0]) })
    }

    /// The texts of the script, as JSON, escaped for an attribute.
    static let script = inEachLanguage { language in
        let texts: [Text] = [
            .connectionError, .unexpectedError, .feedLoadedOne, .feedLoadedMore, .feedEnd, .feedRefreshed,
            .feedNewOne, .feedNew, .commentsNew, .commentsPosted, .commentsWaiting, .commentsSending, .commentsFailed,
            .publishBusy, .publishUnreadable, .publishHEIC, .publishTooLarge,
            .publishPosition, .publishCanceled, .removePending,
            .pageSlow, .commentsUnsaved,
        ]
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let json = try? encoder.encode(Dictionary(uniqueKeysWithValues: texts.map { ("\($0)", language[$0]) }))
        return json.flatMap { Templates.escaped(String(decoding: $0, as: UTF8.self)) }
    }

    private static func inEachLanguage<Value>(_ value: (Language) -> Value?) -> [Language: Value] {
        Dictionary(
            uniqueKeysWithValues: Language.allCases.compactMap { language in value(language).map { (language, $0) } }
        )
    }
}

/// The addresses of a page for search engines and previews, which must be absolute.
struct Preview {
    let url: String
    let image: String?
}

struct LanguageLink {
    let tag: String
    let name: String
    let address: String
    let isCurrent: Bool

    static func all(for visit: Visit) -> [LanguageLink] {
        Language.allCases.map { language in
            LanguageLink(
                tag: language.tag,
                name: language.name,
                address: Visit.address(visit.path, visit.place.merging(["lang": language.tag]) { $1 }),
                isCurrent: language == visit.language
            )
        }
    }
}

extension String {
    /// The first line, of at most `limit` characters; an ellipsis stands for more.
    func shortened(to limit: Int) -> String {
        let line = split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
        // Counted in Unicode scalars, because a single character may consist of any number of them.
        let scalars = line.unicodeScalars
        return scalars.count > limit ? String(String.UnicodeScalarView(scalars.prefix(limit - 1))) + "…" : line
    }
}
