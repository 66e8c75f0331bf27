import Duet
import Testing

/// Third-party text for a terminal, a log or an event.
@Suite struct SafeTextTests {
    @Test(arguments: [
        "\u{0}", "\u{7}", "\u{8}", "\t", "\n", "\r", "\u{1B}", "\u{7F}", "\u{80}", "\u{85}", "\u{9B}", "\u{9F}",
        "\u{61C}", "\u{200B}", "\u{200E}", "\u{200F}", "\u{2028}", "\u{2029}", "\u{202A}", "\u{202E}", "\u{2060}",
        "\u{2066}", "\u{2069}", "\u{FEFF}", "\u{FFF9}", "\u{E0041}",
    ])
    func `characters that are interpreted become spaces`(character: String) {
        #expect("a\(character)b".safe().unicodeScalars.elementsEqual("a b".unicodeScalars))
        #expect("ä\(character)\(character)ä".safe().unicodeScalars.elementsEqual("ä  ä".unicodeScalars))
    }

    @Test(arguments: ["plain", "日本の猫", "👩‍🚀 in space ❤️", "می‌خواهم", "क्‍ष", "Jose\u{301}", "שלום", "é ñ ü"])
    func `text and joined emoji stay as they are`(text: String) {
        #expect(text.safe().unicodeScalars.elementsEqual(text.unicodeScalars))
    }

    @Test(arguments: ["a\u{200D}b", "\u{200D}b", "a\u{200C}b"])
    func `a joiner without anything to join becomes a space`(text: String) {
        #expect(!text.safe().unicodeScalars.contains { [0x200C, 0x200D].contains($0.value) })
    }

    @Test func `only the first of several joiners stays`() {
        #expect("ä\u{200D}\u{200D}ä".safe().unicodeScalars.elementsEqual("ä\u{200D} ä".unicodeScalars))
    }

    @Test(arguments: [(4, "aaaa"), (5, "aaaaa"), (6, "aaaaa…")])
    func `a long text is cut`(count: Int, expected: String) {
        #expect(String(repeating: "a", count: count).safe(upTo: 5) == expected)
    }

    @Test func `the limit counts scalars, because a character may have any number of them`() {
        let text = "a" + String(repeating: "\u{301}", count: 1_000_000)
        #expect(text.safe(upTo: 100).unicodeScalars.count == 101)
    }
}
