import FeedPresentation

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
