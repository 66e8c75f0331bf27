import FeedFeature
import Foundation
import Testing

/// Encoding and decoding messages and errors for other processes.
struct TravellingTests {
    private static let id = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
    private static let other = UUID(uuid: (16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1))

    private func travelled<Value: Codable>(_ value: Value) throws -> Value {
        try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value))
    }

    @Test func `messages survive a round trip`() throws {
        for feed in [LoadFeed(), LoadFeed(after: Self.id, limit: 100)] { #expect(try travelled(feed) == feed) }
        for comments in [
            LoadImageComments(imageID: Self.id), LoadImageComments(imageID: Self.id, limit: nil),
            LoadImageComments(imageID: Self.id, limit: 7, before: Self.other),
        ] { #expect(try travelled(comments) == comments) }
        let post = PostImageComment(id: Self.id, imageID: Self.other, message: "é\n\u{0}👋", username: "")
        #expect(try travelled(post) == post)
        for description in [nil, "", "d"] {
            let publish = PublishImage(id: Self.id, description: description, location: nil, data: Data([0, 255]))
            #expect(try travelled(publish) == publish)
        }
        let publish = PublishImage(id: Self.id, refusesDuplicate: true, data: Data())
        #expect(try travelled(publish) == publish)
        // As senders of earlier versions write it, and as their fingerprints have it.
        let earlier = Data(#"{"data":"","id":"\#(Self.id)"}"#.utf8)
        #expect(try JSONDecoder().decode(PublishImage.self, from: earlier).refusesDuplicate == nil)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        #expect(try encoder.encode(PublishImage(id: Self.id, data: Data())) == earlier)
        #expect(try travelled(RemoveImage(id: Self.id)) == RemoveImage(id: Self.id))
        let data = LoadPublishedImageData(id: Self.id)
        #expect(try travelled(data) == data)
    }

    @Test func `a query for comments from before there were pages asks for the largest page`() throws {
        let query = try JSONDecoder().decode(LoadImageComments.self, from: Data(#"{"imageID":"\#(Self.id)"}"#.utf8))
        #expect(query == LoadImageComments(imageID: Self.id, limit: nil))
    }

    @Test func `errors survive a round trip, and say what to do`() throws {
        let missing = ImageNotFound(id: Self.id)
        #expect(try travelled(missing) == missing)
        #expect("\(missing)" == "There is no image \(Self.id).")
        let removed = ImageRemoved(id: Self.id)
        #expect(try travelled(removed) == removed)
        #expect("\(removed)" == "The image \(Self.id) was removed, and its id cannot be used again.")
        let quick = TooManyComments(until: .milliseconds(1_001))
        #expect(try travelled(quick) == quick)
        #expect("\(quick)" == "You have posted too many comments. Try again in 2 s.")
        #expect(quick.retryAfter == .seconds(2))
        let duplicate = DuplicateImage(id: Self.id)
        #expect(try travelled(duplicate) == duplicate)
        #expect("\(duplicate)" == "The feed has this picture already, as the image \(Self.id).")
        let gone = CommentRemoved(id: Self.id)
        #expect(try travelled(gone) == gone)
        #expect("\(gone)" == "The comment \(Self.id) was removed, and its id cannot be used again.")
        let reused = IDReused(id: Self.id)
        #expect(try travelled(reused) == reused)
        #expect("\(reused)" == "The id \(Self.id) was used for something else. Send this with a new id.")
        let invalid = InvalidMessage(field: "limit", reason: "must be less")
        #expect(try travelled(invalid) == invalid)
        #expect("\(invalid)" == "limit must be less.")
    }
}
