import Duet
import FeedFeature
import FeedTesting
import Foundation
import Testing

struct ValidationTests {
    private static let id = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))

    private func fault(_ message: any Validatable) -> InvalidMessage? {
        do {
            try message.validate()
            return nil
        } catch {
            return error as? InvalidMessage ?? InvalidMessage(field: "?", reason: "\(error)")
        }
    }

    private func comment(message: String = "m", username: String = "u") -> PostImageComment {
        PostImageComment(id: Self.id, imageID: Self.id, message: message, username: username)
    }

    @Test(arguments: [(Int.min, false), (-1, false), (0, false), (1, true), (2, true)])
    func `a page has at least one image`(limit: Int, isValid: Bool) {
        #expect((fault(LoadFeed(limit: limit)) == nil) == isValid)
    }

    @Test(arguments: [(99, true), (100, true), (101, false), (Int.max, false)])
    func `a page has at most a hundred images`(limit: Int, isValid: Bool) {
        #expect((fault(LoadFeed(limit: limit)) == nil) == isValid)
    }

    @Test func `an invalid limit is reported with the allowed values`() {
        #expect(
            fault(LoadFeed(limit: 0))?.description == "limit must be a whole number from 1 to 100, not 0."
        )
    }

    @Test(arguments: [(nil, true), (0, false), (1, true), (1_000, true), (1_001, false)])
    func `a page has 1 to 1,000 comments`(limit: Int?, isValid: Bool) {
        let query = LoadImageComments(imageID: Self.id, limit: limit)
        #expect((fault(query) == nil) == isValid)
        #expect(isValid || fault(query)?.description.hasPrefix("limit must be a whole number from 1 to 1000") == true)
    }

    @Test(arguments: [
        "", " ", "\n\t \u{00A0}\u{2003}", "\u{200B}", "\u{2800}", "\u{3164}", "\u{202E}\u{7F}", "\u{E000}",
    ])
    func `a blank message or user name is refused`(text: String) {
        #expect(fault(comment(message: text))?.description == "message must not be empty.")
        #expect(fault(comment(username: text))?.description == "username must not be empty.")
    }

    @Test(arguments: ["a\u{200B}", "👩\u{200D}🚀", "שלום", "‐", "͏a", "é"])
    func `a text that shows something is accepted`(text: String) {
        #expect(fault(comment(message: text)) == nil)
    }

    @Test(arguments: [
        "שלום", "‐", "é", "e\u{301}", "O’Brien 2", "李明",
        "👩\u{200D}🚀", "👨🏽\u{200D}🚀", "❤\u{FE0F}", "☺\u{FE0E}", "🇬🇷",
        "❤\u{FE0F}\u{200D}🔥", "🏳\u{FE0F}\u{200D}🌈 Ada", "می\u{200C}خواهم", "क्\u{200D}ष", "ශ්\u{200D}රී", "葛\u{E0100}城",
    ])
    func `a name may be of any script, and have emoji`(name: String) {
        #expect(fault(comment(username: name)) == nil)
        #expect(name.asName.unicodeScalars.elementsEqual(name.unicodeScalars))
    }

    @Test func `a name has no character that is invisible or changes the direction of others`() {
        let ranges: [ClosedRange<UInt32>] = [
            0...0x1F, 0x7F...0x9F, 0xAD...0xAD, 0x34F...0x34F, 0x61C...0x61C, 0x115F...0x1160, 0x17B4...0x17B5,
            0x180B...0x180F, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0x2800...0x2800, 0x3164...0x3164,
            0xFE00...0xFE0F, 0xFEFF...0xFEFF, 0xFFA0...0xFFA0, 0xFFF9...0xFFFB, 0x1D173...0x1D17A, 0xE0000...0xE01EF,
        ]
        for scalar in ranges.joined().compactMap(Unicode.Scalar.init) {
            let names = [
                "an\(scalar)n", "\(scalar)ann", "ann\(scalar)", "1\(scalar)", "é\(scalar)é", "👩\(scalar)a",
            ]
            for name in names {
                let code = String(scalar.value, radix: 16)
                // These two change the emoji alone.
                guard !name.hasSuffix("a") || !(0xFE0E...0xFE0F).contains(scalar.value) else { continue }
                #expect(fault(comment(username: name))?.field == "username", "U+\(code)")
                let shown = String(name.unicodeScalars.filter { $0 != scalar }.map(Character.init))
                #expect(name.asName.unicodeScalars.elementsEqual(shown.unicodeScalars), "U+\(code)")
            }
        }
        let reason = "username must not have characters that are invisible or change the direction of the text."
        #expect(fault(comment(username: "ann\u{202E}nna"))?.description == reason)
    }

    @Test(arguments: [
        "👩\u{200D}", "👩\u{200D}\u{200D}🚀", "👩\u{200C}🚀", "❤\u{FE0F}\u{FE0F}", "م\u{200C}", "م\u{200C}\u{200C}م",
        "م\u{200C}a",
        "a\u{200C}م", "葛\u{E0100}\u{E0100}", "\u{200D}🚀", "م\u{200D}\u{61C}م",
    ])
    func `a joiner or selector without effect is invisible`(name: String) {
        #expect(fault(comment(username: name))?.field == "username")
    }

    @Test(arguments: [(1_999, true), (2_000, true), (2_001, false)])
    func `a message has at most 2,000 characters`(count: Int, isValid: Bool) {
        #expect((fault(comment(message: String(repeating: "é", count: count))) == nil) == isValid)
    }

    @Test(arguments: [(63, true), (64, true), (65, false)])
    func `a user name has at most 64 characters`(count: Int, isValid: Bool) {
        #expect((fault(comment(username: String(repeating: "ω", count: count))) == nil) == isValid)
    }

    @Test func `a character made of many scalars counts as many characters`() {
        let text = "e" + String(repeating: "\u{301}", count: 2_000)
        #expect(text.count == 1)
        #expect(fault(comment(message: text))?.description == "message must have at most 2000 characters.")
    }

    @Test(arguments: [(0, true), (1_999, true), (2_000, true), (2_001, false)])
    func `the texts of an image have at most 2,000 characters`(count: Int, isValid: Bool) {
        let text = String(repeating: "x", count: count)
        let described = PublishImage(id: Self.id, description: text, data: .tinyImage)
        let located = PublishImage(id: Self.id, location: text, data: .tinyImage)
        #expect(fault(described)?.field == (isValid ? nil : "description"))
        #expect(fault(located)?.field == (isValid ? nil : "location"))
    }

    @Test func `the bytes must be an image`() {
        #expect(fault(PublishImage(id: Self.id, data: .tinyImage)) == nil)
        #expect(
            fault(PublishImage(id: Self.id, data: Data()))?.description
                == "body must be a JPEG, PNG, GIF or WebP image."
        )
        #expect(
            fault(PublishImage(id: Self.id, data: Data.tinyImage.dropLast()))?.description
                == "body ends before the image is complete, as after an interrupted copy or upload."
        )
    }
}
