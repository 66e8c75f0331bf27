import DuetHTTP
import DuetTesting
import Testing

@Suite("RFC 9110, section 5.6.1, lists")
struct FieldListTests {
    @Test(
        arguments: [
            ("", []), (" , ,\t", []), ("a", ["a"]), ("a,b", ["a", "b"]), (" a , b ", ["a", "b"]),
            (",a,,b,", ["a", "b"]),
            ("\"a,b\",c", ["\"a,b\"", "c"]), ("x=\"a\\\",b\",c", ["x=\"a\\\",b\"", "c"]), ("a\"b,c\"d", ["a\"b,c\"d"]),
            // It is never closed, so it is not a quote.
            ("x=\"a,b", ["x=\"a", "b"]), ("\"a\",\"b,c", ["\"a\"", "\"b", "c"]), ("\"\\", ["\"\\"]),
            ("\"a\\\",b", ["\"a\\\"", "b"]),
        ] as [(String, [String])]
    )
    func `commas separate, except in quotes`(value: String, members: [String]) {
        #expect(FieldList.members(of: value).map { String(decoding: $0, as: UTF8.self) } == members)
    }

    @Test func `many open quotes take no longer than as many commas`() {
        // With quadratic time, this would not end.
        #expect(FieldList.members(of: String(repeating: "\\\"", count: 100_000) + ",").count == 1)
        #expect(FieldList.members(of: String(repeating: "\",\\", count: 100_000)).isEmpty == false)
    }

    @Test(
        arguments: [
            (["pt-BR,pt;q=0.9"], ["pt-BR", "pt"]), (["de, el;q=0.8, en;q=0.7"], ["de", "el", "en"]),
            (["en;q=0.7, el;q=0.8"], ["el", "en"]), (["el;q=0.8, pt;q=0.8"], ["el", "pt"]), (["el;q=0, de"], ["de"]),
            (["el;q=0.001"], ["el"]), (["el;q=x, pt;q=0.1"], ["pt"]), (["el;q=2, pt;q=nan, de;q=-1"], []),
            (["el ; q=0.2 , pt ; Q = 0.9"], ["pt", "el"]), (["el;q=0.1", "pt"], ["pt", "el"]),
            (["a/b;q=\"0,5\";level=1, c"], ["c"]), (["*"], ["*"]), ([""], []), ([], []),
        ] as [([String], [String])]
    )
    func `preferences are ordered by weight`(fields: [String], preferences: [String]) {
        #expect(FieldList.preferences(fields) == preferences)
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `random bytes cause neither a trap nor an empty member`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let characters = Array("ab,,;=\"\\ \t\u{FFFD}é")
        for _ in 1...3000 {
            let count = Int.random(in: 0...24, using: &generator)
            let text = String((0..<count).compactMap { _ in characters.randomElement(using: &generator) })
            for member in FieldList.members(of: text) {
                #expect(!member.isEmpty, "seed \(seed): \(text.debugDescription)")
            }
        }
    }
}
