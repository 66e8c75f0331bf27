import Duet
import DuetContext
import FeedBackend
import FeedFeature
import FeedTesting
import Foundation
import Testing

@Suite(.serialized) struct BackendCommandTests {
    private let backend: TestBackend

    init() async throws {
        backend = try await TestBackend()
    }

    private func comment(_ id: Int, on image: Int, _ message: String = "Hello") -> PostImageComment {
        PostImageComment(id: .number(id), imageID: .number(image), message: message, username: "somebody")
    }

    @Test func `an image published twice is stored once, unchanged, and its id is refused for another picture`()
        async throws
    {
        try await backend.publish(1...2)
        try await backend.dispatcher.dispatch(PublishImage(id: .number(1), description: "Other", data: .tinyImage))
        let other = PublishImage(id: .number(1), description: "Other", data: .image(ofSize: 999))
        for publisher in ["ann", "bob"] {
            await #expect(throws: IDReused(id: .number(1))) {
                try await withPrincipal(Principal(id: publisher, scopes: ["publish"])) {
                    try await backend.dispatcher.dispatch(other)
                }
            }
        }
        #expect(try await backend.page() == [.number(2), .number(1)])
        let images = try await backend.dispatcher.dispatch(LoadFeed()).images
        #expect(images.map(\.description) == ["2", "1"])
        #expect(try await backend.dispatcher.dispatch(LoadPublishedImageData(id: .number(1))).data == .tinyImage)
    }

    private func publish(_ number: Int, _ data: Data, refusesDuplicate: Bool? = true) async throws {
        try await backend.dispatcher.dispatch(
            PublishImage(id: .number(number), refusesDuplicate: refusesDuplicate, data: data)
        )
    }

    @Test func `the same bytes are published again only if the sender does not refuse it`() async throws {
        try await publish(1, .tinyImage)
        let exif = JPEGBytes.segment(0xE1, "Exif\0\0", EXIFBytes.block(hasLocation: true))
        let withMetadata = Data.tinyImage.prefix(2) + exif + Data.tinyImage.dropFirst(2)
        for data in [Data.tinyImage, withMetadata] {
            await #expect(throws: DuplicateImage(id: .number(1))) { try await publish(2, data) }
        }
        #expect(try await backend.page() == .numbers(1))
        try await publish(2, GIFBytes.file())
        try await publish(3, .tinyImage, refusesDuplicate: nil)
        try await publish(4, .tinyImage, refusesDuplicate: false)
        #expect(try await backend.page() == .numbers(4, 3, 2, 1))
        await #expect(throws: DuplicateImage(id: .number(1))) { try await publish(5, .tinyImage) }
    }

    @Test func `a repeated command is no duplicate of itself`() async throws {
        for _ in 1...2 {
            try await publish(1, .tinyImage)
            try await withIdempotencyKey("key") { try await publish(2, GIFBytes.file()) }
        }
        #expect(try await backend.page() == .numbers(2, 1))
    }

    @Test func `a removed image has no duplicates`() async throws {
        try await publish(1, .tinyImage)
        try await backend.dispatcher.dispatch(RemoveImage(id: .number(1)))
        try await publish(2, .tinyImage)
        #expect(try await backend.page() == .numbers(2))
    }

    @Test func `of concurrent publications of the same bytes, one is stored`() async throws {
        let count = try await withThrowingTaskGroup { group in
            for number in 1...10 {
                group.addTask {
                    do {
                        try await publish(number, .tinyImage)
                        return 1
                    } catch is DuplicateImage {
                        return 0
                    }
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(count == 1)
        #expect(try await backend.page().count == 1)
    }

    @Test func `removing an image removes its bytes and comments`() async throws {
        try await backend.publish(1...1)
        try await backend.dispatcher.dispatch(comment(1, on: 1))
        try await backend.dispatcher.dispatch(RemoveImage(id: .number(1)))
        #expect(try await backend.page() == [])
        #expect(try await backend.dispatcher.dispatch(IsImagePublished(id: .number(1))) == false)
        // The row that remains records the removed image's position.
        #expect(try await backend.rows() == 1)
        let removed = ImageRemoved(id: .number(1))
        await #expect(throws: removed) {
            try await backend.dispatcher.dispatch(LoadPublishedImageData(id: .number(1)))
        }
        await #expect(throws: removed) { try await backend.comments(on: .number(1)) }
        await #expect(throws: removed) { try await backend.dispatcher.dispatch(comment(2, on: 1)) }
    }

    @Test func `removing an image again, or an unknown one, changes nothing`() async throws {
        try await backend.publish(1...2)
        for id in [1, 1, 9] { try await backend.dispatcher.dispatch(RemoveImage(id: .number(id))) }
        #expect(try await backend.page() == [.number(2)])
        await #expect(throws: ImageNotFound(id: .number(9))) { try await backend.page(after: .number(9)) }
    }

    @Test func `a removed image is not published again`() async throws {
        try await backend.publish(1...1)
        try await backend.dispatcher.dispatch(RemoveImage(id: .number(1)))
        await #expect(throws: ImageRemoved(id: .number(1))) { try await backend.publish(1...1) }
        #expect(try await backend.page() == [])
    }

    @Test func `comments are returned in the order in which they were posted`() async throws {
        try await backend.publish(1...2)
        for id in [3, 1, 2] { try await backend.dispatcher.dispatch(comment(id, on: 1)) }
        try await backend.dispatcher.dispatch(comment(4, on: 2))
        #expect(try await backend.comments(on: .number(1)).map(\.id) == [.number(3), .number(1), .number(2)])
        #expect(try await backend.comments(on: .number(2)).map(\.id) == [.number(4)])
    }

    @Test func `a comment posted twice is stored once, unchanged`() async throws {
        try await backend.publish(1...1)
        for _ in 1...2 { try await backend.dispatcher.dispatch(comment(1, on: 1, "First")) }
        #expect(try await backend.comments(on: .number(1)).map(\.message) == ["First"])
    }

    @Test func `the id of a comment is refused for another text or another image`() async throws {
        try await backend.publish(1...2)
        try await backend.dispatcher.dispatch(comment(1, on: 1, "First"))
        for other in [comment(1, on: 1, "Second"), comment(1, on: 2, "First")] {
            await #expect(throws: IDReused(id: .number(1))) { try await backend.dispatcher.dispatch(other) }
        }
        #expect(try await backend.comments(on: .number(1)).map(\.message) == ["First"])
        #expect(try await backend.comments(on: .number(2)) == [])
    }

    @Test func `a removed comment is not posted again`() async throws {
        try await backend.publish(1...2)
        try await backend.dispatcher.dispatch(comment(1, on: 1))
        try await backend.dispatcher.dispatch(RemoveImageComment(imageID: .number(1), id: .number(1)))
        for again in [comment(1, on: 1), comment(1, on: 1, "Other"), comment(1, on: 2)] {
            await #expect(throws: CommentRemoved(id: .number(1))) { try await backend.dispatcher.dispatch(again) }
        }
        #expect(try await backend.comments(on: .number(1)) == [])
        #expect(try await backend.comments(on: .number(2)) == [])
    }

    @Test func `concurrent posts of one comment store it once`() async throws {
        try await backend.publish(1...1)
        try await withThrowingTaskGroup { group in
            for number in 0..<50 {
                let command = comment(1, on: 1, "Try \(number % 2)")
                group.addTask {
                    do { try await backend.dispatcher.dispatch(command) } catch is IDReused {}
                }
            }
            try await group.waitForAll()
        }
        #expect(try await backend.comments(on: .number(1)).count == 1)
    }

    @Test func `concurrent publications of one image store it once`() async throws {
        try await withThrowingTaskGroup { group in
            for _ in 0..<20 { group.addTask { try await backend.publish(1...1) } }
            try await group.waitForAll()
        }
        #expect(try await backend.page() == [.number(1)])
    }

    @Test func `a comment on a missing image is refused`() async throws {
        await #expect(throws: ImageNotFound(id: .number(1))) {
            try await backend.dispatcher.dispatch(comment(1, on: 1))
        }
        #expect(try await backend.rows() == 0)
    }

    @Test(arguments: [
        (PublishImage.textLimit - 1, true), (PublishImage.textLimit, true), (PublishImage.textLimit + 1, false),
    ])
    func `a description has at most 2,000 characters`(length: Int, isValid: Bool) async throws {
        let text = String(repeating: "é", count: length)
        try? await backend.send(PublishImage(id: .number(1), description: text, data: .tinyImage))
        #expect(try await backend.page().isEmpty != isValid)
    }

    @Test func `bytes that are not an image are refused`() async throws {
        await #expect(throws: InvalidMessage.self) {
            try await backend.send(PublishImage(id: .number(1), data: Data("<html>".utf8)))
        }
        #expect(try await backend.rows() == 0)
    }

    @Test func `a text with the character U+0000 is refused`() async throws {
        try await backend.publish(1...1)
        let before = try await backend.rows()
        await #expect(throws: InvalidMessage.self) {
            try await backend.dispatcher.dispatch(comment(1, on: 1, "a\0b"))
        }
        await #expect(throws: InvalidMessage.self) {
            try await backend.dispatcher.dispatch(PublishImage(id: .number(2), location: "a\0b", data: .tinyImage))
        }
        #expect(try await backend.rows() == before)
    }
}
