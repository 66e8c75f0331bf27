import Duet
import FeedBackend
import FeedFeature
import FeedTesting
import Foundation
import GRDB
import HTTPTypes
import HummingbirdTesting
import Testing

/// The pages of a discussion, on an image that anyone may comment.
@Suite(.serialized) struct CommentPageTests {
    private let backend: TestBackend
    private let uri = "/v1/image/\(UUID.number(1))/comments"

    init() async throws {
        backend = try await TestBackend()
        try await backend.publish(1...2)
    }

    /// Inserts comments on the first image directly into the database, in pairs of one time.
    private func fill(to count: Int) async throws {
        try await DatabaseQueue(path: backend.folder.path("feed.sqlite")).write { db in
            let sql = "SELECT position FROM image WHERE id = ?"
            let position = try Int64.fetchOne(db, sql: sql, arguments: [UUID.number(1)])
            for number in 1...count {
                try db.execute(
                    sql: "INSERT INTO comment (id, image, message, username, created_at) VALUES (?, ?, 'm', 'u', ?)",
                    arguments: [UUID.number(number), position, number / 2]
                )
            }
        }
    }

    private func page(_ limit: Int? = 50, before: Int? = nil) async throws -> ImageCommentPage {
        try await backend.dispatcher.dispatch(
            LoadImageComments(imageID: .number(1), limit: limit, before: before.map { .number($0) })
        )
    }

    private func numbers(_ range: ClosedRange<Int>) -> [UUID] { range.map { .number($0) } }

    @Test(arguments: [(6, false), (7, false), (8, true)])
    func `the newest comments are a page, which says whether there are earlier ones`(
        count: Int,
        hasEarlier: Bool
    ) async throws {
        try await fill(to: count)
        let page = try await page(7)
        #expect(page.comments.map(\.id) == numbers(max(1, count - 6)...count))
        #expect(page.hasEarlier == hasEarlier)
    }

    @Test func `all pages together are all comments, each once, also with one date`() async throws {
        try await fill(to: 100)
        for size in [1, 2, 7, 50, 100] {
            var page = try await page(size)
            var all = page.comments
            while page.hasEarlier {
                let first = try #require(page.comments.first).id
                page = try await backend.dispatcher.dispatch(
                    LoadImageComments(imageID: .number(1), limit: size, before: first)
                )
                all = page.comments + all
            }
            #expect(all.map(\.id) == numbers(1...100), "\(size)")
        }
        #expect(try await page(before: 1) == ImageCommentPage(comments: []))
    }

    @Test func `an earlier page stays where it is when comments are posted and removed`() async throws {
        try await fill(to: 20)
        for number in [11, 10, 20] {
            try await backend.dispatcher.dispatch(RemoveImageComment(imageID: .number(1), id: .number(number)))
        }
        try await backend.dispatcher.dispatch(
            PostImageComment(id: .number(21), imageID: .number(1), message: "m", username: "u")
        )
        #expect(try await page(3, before: 11).comments.map(\.id) == numbers(7...9))
        #expect(try await page(3, before: 20).comments.map(\.id) == numbers(17...19))
        #expect(try await page(2).comments.map(\.id) == [.number(19), .number(21)])
        try await backend.dispatcher.dispatch(RemoveImage(id: .number(1)))
        await #expect(throws: ImageRemoved(id: .number(1))) { try await page(before: 11) }
    }

    @Test func `a page ends before a comment on the same image`() async throws {
        try await fill(to: 3)
        try await backend.dispatcher.dispatch(
            PostImageComment(id: .number(9), imageID: .number(2), message: "m", username: "u")
        )
        for unknown in [4, 9] {
            await #expect(
                throws: InvalidMessage(field: "before_id", reason: "must be the id of a comment on the image")
            ) { try await page(before: unknown) }
        }
    }

    @Test func `a client that does not know pages gets as many comments as a page may have`() async throws {
        try await fill(to: 1_002)
        #expect(try await page(nil).comments.map(\.id) == numbers(3...1_002))
        try await backend.test { client async throws in
            let all = try await client.get(uri).text
            #expect(all.hasPrefix(#"{"has_earlier":true,"items":[{"#))
            #expect(all.matches(of: /"created_at"/).count == 1_000)
            let page = try await client.get(uri + "?limit=2&before_id=\(UUID.number(3))").text
            #expect(page.hasPrefix(#"{"has_earlier":false,"#))
            #expect(page.matches(of: /"created_at"/).count == 2)
            for limit in ["0", "1001"] {
                let detail = "limit must be a whole number from 1 to 1000, not \(limit)."
                #expect(try await client.get(uri + "?limit=\(limit)").problem(.badRequest) == detail)
            }
            let detail = "before_id must be the id of a comment on the image."
            #expect(try await client.get(uri + "?before_id=\(UUID())").problem(.badRequest) == detail)
            #expect(try await client.get(uri + "?before_id=7").problem(.badRequest).hasPrefix("before_id must be"))
        }
    }
}
