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
        #expect(fault(comment(username: text)) == nil)
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
