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
        let comments = LoadImageComments(imageID: Self.id)
        #expect(try travelled(comments) == comments)
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

    @Test func `errors survive a round trip, and say what to do`() throws {
        let missing = ImageNotFound(id: Self.id)
        #expect(try travelled(missing) == missing)
        #expect("\(missing)" == "There is no image \(Self.id).")
        let removed = ImageRemoved(id: Self.id)
        #expect(try travelled(removed) == removed)
        #expect("\(removed)" == "The image \(Self.id) was removed. Publish it under a new id.")
        let duplicate = DuplicateImage(id: Self.id)
        #expect(try travelled(duplicate) == duplicate)
        #expect("\(duplicate)" == "The feed has this picture already, as the image \(Self.id).")
        let full = DiscussionFull(imageID: Self.id)
        #expect(try travelled(full) == full)
        #expect(
            "\(full)"
                == "The image \(Self.id) already has 1000 comments, which is the limit. Comment on another image."
        )
        let invalid = InvalidMessage(field: "limit", reason: "must be less")
        #expect(try travelled(invalid) == invalid)
        #expect("\(invalid)" == "limit must be less.")
    }
}
