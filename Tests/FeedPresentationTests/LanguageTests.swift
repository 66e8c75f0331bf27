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
            ("pt-BR,pt;q=0.9", .brazilianPortuguese),
            ("de, el;q=0.8, en;q=0.7", .greek),
            ("en;q=0.7, el;q=0.8", .greek),
            ("el;q=0.8, pt;q=0.8", .greek),
            ("el;q=0, de", .english),
            ("el;q=0.001", .greek),
            ("el;q=x, pt;q=0.1", .brazilianPortuguese),
            ("el ; q=0.2 , pt ; q=0.9", .brazilianPortuguese),
            ("*", .english),
            ("", .english),
            (",;,=", .english),
        ] as [(String, Language)]
    )
    func `the preferred language is the known one of the greatest weight`(_ header: String, _ language: Language) {
        #expect(Language(preferring: header) == language)
    }

    @Test(arguments: Language.allCases)
    func `a language's own tag leads back to it`(_ language: Language) {
        #expect(Language(tag: language.tag) == language)
        #expect(Language(preferring: language.tag) == language)
    }
}
