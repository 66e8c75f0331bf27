import DuetContext
import Foundation
import Testing

struct ForeignTextTests {
    @Test(arguments: [(29, false), (30, false), (31, true), (5_000, true)])
    func `at most thirty combining characters are in a row`(count: Int, isLong: Bool) {
        // Two whose order the canonical form changes, one whose own class is that of a starter, and one of four bytes.
        for mark in ["\u{301}", "\u{316}", "\u{F73}", "\u{1D165}"] {
            let text = "ab" + String(repeating: mark, count: count) + "c"
            #expect(ForeignText.hasLongRun(text.utf8) == isLong)
            #expect((ForeignText.fault(inJSON: #"{"\#(text)": 1}"#.utf8) != nil) == isLong)
            #expect(ForeignText.hasLongRun(Array(text.utf8)) == isLong)
        }
    }

    @Test(arguments: [(30, false), (31, true)])
    func `escaped combining characters of JSON count`(count: Int, isLong: Bool) {
        for mark in [#"\u0301"#, #"\u0F73"#, #"\ud834\udd65"#, #"\uD834\uDD65"#] {
            let json = #"{"a\#(String(repeating: mark, count: count))": 1}"#
            #expect((ForeignText.fault(inJSON: json.utf8) != nil) == isLong, "\(mark)")
            #expect(!ForeignText.hasLongRun(json.utf8))
        }
        let mixed = String(repeating: #"\u0301"#, count: count - 15) + String(repeating: "\u{316}", count: 15)
        #expect((ForeignText.fault(inJSON: mixed.utf8) != nil) == isLong)
    }

    @Test
    func `every other character ends a run`() {
        let half = String(repeating: "\u{301}", count: 20)
        for other in [
            "a", "\u{0}", "é", "字", "😀", "\u{200D}", " ", "\\", "\\u0041", #"\\u0301"#, #"\n"#, #"\ud834"#, #"\u03"#,
        ] {
            #expect(ForeignText.fault(inJSON: (half + other + half).utf8) == nil, "\(other)")
        }
        for invalid: [UInt8] in [[0xFF], [0xC3], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80]] {
            let bytes = Array(half.utf8) + invalid + Array(half.utf8)
            #expect(!ForeignText.hasLongRun(bytes), "\(invalid)")
            #expect(!String(decoding: bytes, as: UTF8.self).unicodeScalars.filter { $0 == "\u{FFFD}" }.isEmpty)
        }
    }

    @Test(arguments: [#"\"#, #"\u"#, #"\u030"#, #"\ud834\"#, #"\ud834\u"#, #"\ud834\udd6"#, #"\u\u0010\u00g0"#])
    func `an incomplete escape is read to its end`(text: String) {
        #expect(ForeignText.fault(inJSON: text.utf8) == nil)
    }

    @Test
    func `ordinary texts of many languages pass`() {
        for text in ["Việt Nam, Ἑλλάδα, עִבְרִית, हिन्दी, ไทย, 각", "e\u{301}\u{316}", "👩‍👩‍👧‍👦🏳️‍🌈", ""] {
            #expect(!ForeignText.hasLongRun(text.utf8))
            #expect(!ForeignText.hasLongRun(text.decomposedStringWithCanonicalMapping.utf8))
        }
    }

    @Test(arguments: [
        String.Encoding.utf16, .utf16LittleEndian, .utf16BigEndian, .utf32, .utf32LittleEndian, .utf32BigEndian,
    ])
    func `a document in another encoding than UTF-8 has a fault, though a decoder reads it`(
        encoding: String.Encoding
    ) throws {
        for json in [#"{"a": 1}"#, "[]", " \n[1]", "12", #"{"\#(String(repeating: "\u{301}", count: 100))": 1}"#] {
            let data = try #require(json.data(using: encoding))
            #expect(ForeignText.fault(inJSON: data) == "must be UTF-8")
            #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed) }
        }
        for json in ["", "1", "{}", "\u{FEFF}[1]"] { #expect(ForeignText.fault(inJSON: json.utf8) == nil) }
    }
}
