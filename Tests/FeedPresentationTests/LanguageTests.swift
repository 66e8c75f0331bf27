import FeedPresentation
import Testing

@Suite struct LanguageTests {
    @Test(
        arguments: [
            ("el", .greek),
            ("EL-gr", .greek),
            ("pt-BR", .brazilianPortuguese),
            ("pt", .brazilianPortuguese),
            ("pt_PT", .brazilianPortuguese),
            ("en-GB", .english),
            ("de", nil),
            ("elx", nil),
            ("", nil),
            ("-", nil),
        ] as [(String, Language?)]
    )
    func `a tag names a language by its first part`(_ tag: String, _ language: Language?) {
        #expect(Language(tag: tag) == language)
    }

    @Test(
        arguments: [
            (["pt-BR", "pt"], .brazilianPortuguese), (["de", "el", "en"], .greek), (["de", "*"], .english),
            ([], .english), (["", "="], .english),
        ] as [([String], Language)]
    )
    func `the preferred language is the first available one`(_ tags: [String], _ language: Language) {
        #expect(Language(preferring: tags) == language)
    }

    @Test(arguments: Language.allCases)
    func `a language's own tag leads back to it`(_ language: Language) {
        #expect(Language(tag: language.tag) == language)
        #expect(Language(preferring: [language.tag]) == language)
    }
}
