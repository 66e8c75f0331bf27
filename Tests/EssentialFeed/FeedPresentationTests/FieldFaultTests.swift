import FeedPresentation
import Testing

@Suite struct FieldFaultTests {
    @Test(
        arguments: [
            ("", .required), (" \n\t", .required), ("abc", .invalid), ("abcd", .tooLong(limit: 3)),
            ("👩\u{200D}🚀\u{200D}", .tooLong(limit: 3)), ("    ", .required),
        ] as [(String, FieldFault)]
    )
    func `a fault follows from the text and its limit`(_ text: String, _ fault: FieldFault) {
        #expect(FieldFault(in: text, limit: 3) == fault)
    }

    @Test(arguments: Language.allCases)
    func `each fault has its own advice`(_ language: Language) {
        let advice = [FieldFault.required, .tooLong(limit: 64), .invalid].map { $0.text(in: language) }
        #expect(Set(advice).count == 3)
        #expect(advice[1].contains("64"))
    }

    @Test(
        arguments: [
            (.english, "At most 2,000 characters"), (.greek, "Έως 2.000 χαρακτήρες"),
            (.brazilianPortuguese, "No máximo 2.000 caracteres"),
        ] as [(Language, String)]
    )
    func `numbers have the form of the language`(_ language: Language, _ text: String) {
        #expect(language.text(.fieldLimit, 2_000) == text)
    }

    @Test func `every language has its own name`() {
        #expect(Set(Language.allCases.map(\.name)).count == Language.allCases.count)
    }
}
