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

    @Test(
        arguments: [
            (["LANG": "pt_BR.UTF-8"], .brazilianPortuguese),
            (["LANG": "en_US.UTF-8", "LC_ALL": "el_GR.UTF-8"], .greek),
            (["LANG": "el_GR", "LC_MESSAGES": "pt_PT@euro", "LC_CTYPE": "en_US"], .brazilianPortuguese),
            (["LC_MESSAGES": "pt_BR", "LC_ALL": "el"], .greek),
            (["LC_ALL": "", "LANG": "el.UTF-8"], .greek),
            (["LC_ALL": "C.UTF-8", "LANG": "el"], .english),
            (["LANG": "POSIX"], .english),
            (["LANG": "de_DE"], .english),
            ([:], .english),
        ] as [([String: String], Language)]
    )
    func `the first variable of the locale with a value decides`(_ variables: [String: String], _ language: Language) {
        #expect(Language(localeVariables: variables) == language)
    }
}
