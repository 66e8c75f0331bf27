import Duet
import FeedBackend
import FeedFeature
import FeedTesting
import Foundation
import GRDB
import HTTPTypes
import HummingbirdTesting
import Testing

/// The limit of comments on an image, which anyone may post and which one response contains.
@Suite(.serialized) struct CommentLimitTests {
    private let backend: TestBackend
    private let uri = "/v1/image/\(UUID.number(1))/comments"

    init() async throws {
        backend = try await TestBackend()
        try await backend.publish(1...2)
    }

    /// Inserts comments on the first image directly into the database.
    private func fill(to count: Int) async throws {
        try await DatabaseQueue(path: backend.folder.path("feed.sqlite")).write { db in
            let position = try Int64.fetchOne(
                db,
                sql: "SELECT position FROM image WHERE id = ?",
                arguments: [UUID.number(1)]
            )
            for number in 1...count {
                try db.execute(
                    sql: "INSERT INTO comment (id, image, message, username, created_at) VALUES (?, ?, 'm', 'u', 0)",
                    arguments: [UUID.number(number), position]
                )
            }
        }
    }

    private func comment(_ id: Int, on image: Int = 1) -> PostImageComment {
        PostImageComment(id: .number(id), imageID: .number(image), message: "Hello", username: "me")
    }

    @Test(arguments: [(998, true), (999, true), (1_000, false)])
    func `an image has at most 1,000 comments`(count: Int, isTaken: Bool) async throws {
        try await fill(to: count)
        try await backend.test { client in
            let body = #"{"id":"\#(UUID.number(5_000))","message":"Hello","username":"me"}"#
            let response = try await client.post(uri, body)
            if isTaken {
                #expect(response.status == .created)
            } else {
                #expect(
                    try response.problem(.conflict).hasPrefix("The image \(UUID.number(1)) already has 1000 comments")
                )
                #expect(response.text.contains(#""type":"urn:essential-feed:discussion-full""#))
            }
        }
        #expect(try await backend.comments(on: .number(1)).count == min(count + 1, 1_000))
    }

    @Test func `an existing comment can be repeated at the limit, and other images have their own`()
        async throws
    {
        try await fill(to: 1_000)
        try await backend.dispatcher.dispatch(comment(1_000))
        try await backend.dispatcher.dispatch(comment(5_000, on: 2))
        await #expect(throws: DiscussionFull(imageID: .number(1))) {
            try await backend.dispatcher.dispatch(comment(5_001))
        }
    }

    @Test func `of many concurrent comments only those below the limit are accepted`() async throws {
        try await fill(to: 995)
        let taken = await withTaskGroup(of: Bool.self) { group in
            for id in 5_000..<5_020 {
                group.addTask { [backend, comment = comment(id)] in
                    (try? await backend.dispatcher.dispatch(comment)) != nil
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(taken == 5)
        #expect(try await backend.comments(on: .number(1)).count == 1_000)
    }
}
