import FeedFeature
import Foundation
import Testing

struct SearchTextTests {
    private func matches(_ text: String?, _ description: String? = nil, _ location: String? = nil) -> Bool {
        let image = FeedImage(
            id: UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)),
            description: description,
            location: location,
            url: URL(filePath: "/")
        )
        return SearchText(text).matches(image)
    }

    @Test(arguments: [
        ("CAFE", "café"), ("CAFÉ", "cafe"), ("cafe\u{301}", "caf\u{E9}"), ("strasse", "STRAßE"), ("straße", "Strasse"),
        ("αθηνα", "ΑΘΉΝΑ"), ("ΟΔΟΣ", "οδός"), ("οδοσ", "οδος"), ("sao paulo", "São Paulo"), ("coracao", "CORAÇÃO"),
        ("istanbul", "İSTANBUL"), ("istanbul", "ıstanbul"), ("i̇stanbul", "Istanbul"), ("москва", "МОСКВА"),
        ("ёлка", "ЕЛКА"), ("ﬁre", "FIRE"), ("fire", "ﬁre"), ("ｆｅｅｄ", "feed"), ("カ", "ｶ"), ("서울", "서울"),
        ("①", "1"), ("viet", "Việt Nam"), ("שלום", "שָׁלוֹם"), ("محمد", "مُحَمَّد"), ("👋", "hello 👋🏽"), ("東京", "東京都"),
    ])
    func `case, diacritics and width do not matter`(text: String, description: String) {
        #expect(matches(text, description))
    }

    @Test(arguments: [("cat", "dog"), ("が", "か"), ("क़", "क"), ("o", "0"), ("%", "a"), ("_", "a"), ("*", "a")])
    func `other letters and signs do matter`(text: String, description: String) {
        #expect(!matches(text, description))
    }

    @Test func `every word must be found, in any order and in either text`() {
        #expect(matches("table coffee", "Coffee on a table"))
        #expect(matches("bar coffee", "Coffee", "Pikolo Bar"))
        #expect(!matches("coffee tea", "Coffee", "Pikolo Bar"))
    }

    @Test func `a word may be a part of a longer one, but not of two texts`() {
        #expect(matches("off", "Coffee"))
        #expect(!matches("feepik", "Coffee", "Pikolo"))
    }

    @Test(arguments: [nil, "", " \n"])
    func `every image matches a blank text, and one without texts matches no other`(text: String?) {
        #expect(matches(text))
        #expect(!matches("a"))
    }

    @Test func `a repeated word is one word`() {
        #expect(SearchText("Café cafe CAFÉ bar").words == ["cafe", "bar"])
    }

    @Test func `folding again changes nothing`() {
        for text in ["ΟΔΌΣ", "Straße", "İı", "ﬃ", "Việt", "が", "\u{1F3D4}\u{FE0F}", "ΐ", "ŉ", "ǰ"] {
            let folded = SearchText.folded(text)
            #expect(SearchText.folded(folded) == folded)
        }
    }
}
