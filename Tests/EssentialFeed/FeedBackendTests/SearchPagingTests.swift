import Duet
import FeedBackend
import FeedFeature
import Foundation
import Testing

/// The pages of a search in each order, while the feed changes.
@Suite(.serialized) struct SearchPagingTests {
    /// The numbers of comments on the images 1 to 8.
    private static let counts = [2, 0, 1, 2, 3, 0, 1, 2]

    private static let orders: [(FeedOrder, [Int])] = [
        (.newest, [8, 7, 6, 5, 4, 3, 2, 1]),
        (.oldest, [1, 2, 3, 4, 5, 6, 7, 8]),
        (.mostCommented, [5, 8, 4, 1, 7, 3, 6, 2]),
    ]

    private let backend: TestBackend

    init() async throws {
        backend = try await TestBackend()
        for (index, count) in Self.counts.enumerated() {
            try await backend.publish(index + 1, "\(index + 1)", comments: count)
        }
    }

    /// Reads all pages; `change` runs before each later one, with the last image of the page before.
    private func pages(
        _ order: FeedOrder,
        limit: Int,
        _ change: (FeedImage) async throws -> Void = { _ in }
    ) async throws -> [UUID] {
        var seen: [UUID] = []
        var cursor: FeedCursor?
        while seen.count < 100 {
            let page = try await backend.dispatcher.dispatch(SearchFeed(order: order, after: cursor, limit: limit))
            guard let last = page.images.last else { break }
            seen += page.images.map(\.id)
            cursor = FeedCursor(after: last)
            try await change(last)
        }
        return seen
    }

    @Test(arguments: orders, 1...9)
    func `pages of any size follow each other to the empty one`(order: (FeedOrder, [Int]), limit: Int) async throws {
        #expect(try await pages(order.0, limit: limit) == order.1.map { UUID.number($0) })
    }

    @Test(arguments: orders, [false, true])
    func `a page after a removed image continues at its place`(order: (FeedOrder, [Int]), hasCount: Bool) async throws {
        for (index, number) in order.1.enumerated() {
            let cursor = FeedCursor(
                imageID: .number(number),
                commentCount: hasCount ? Self.counts[number - 1] : nil
            )
            try await backend.remove(number)
            let rest = try await backend.found(SearchFeed(order: order.0, after: cursor))
            #expect(rest == order.1.dropFirst(index + 1).map { UUID.number($0) })
        }
    }

    @Test(arguments: orders)
    func `removing the last image of each page neither repeats nor skips others`(order: (FeedOrder, [Int])) async throws
    {
        let seen = try await pages(order.0, limit: 3) { last in
            try await backend.dispatcher.dispatch(RemoveImage(id: last.id))
        }
        #expect(seen == order.1.map { UUID.number($0) })
    }

    @Test(arguments: orders)
    func `images published between pages neither repeat nor skip others`(order: (FeedOrder, [Int])) async throws {
        var next = 100
        let seen = try await pages(order.0, limit: 3) { _ in
            guard next < 103 else { return }
            try await backend.publish(next, "new", comments: next - 100)
            next += 1
        }
        #expect(seen.filter { $0 < .number(100) } == order.1.map { UUID.number($0) })
        #expect(Set(seen).count == seen.count)
    }

    @Test(arguments: orders)
    func `comments on the last image of a page neither repeat nor skip others`(order: (FeedOrder, [Int])) async throws {
        let seen = try await pages(order.0, limit: 2) { last in
            let number = try #require(order.1.first { UUID.number($0) == last.id })
            try await backend.comment(on: number, count: 3)
        }
        #expect(seen == order.1.map { UUID.number($0) })
    }

    @Test func `a cursor without a number of comments begins at the current one`() async throws {
        try await backend.comment(on: 2, count: 2)
        let query = SearchFeed(order: .mostCommented, after: FeedCursor(imageID: .number(2)))
        #expect(try await backend.found(query) == .numbers(1, 7, 3, 6))
    }

    @Test(arguments: [3, 4, 1 << 23, .max])
    func `a cursor with more comments than any image has begins at the top`(count: Int) async throws {
        let query = SearchFeed(order: .mostCommented, after: FeedCursor(imageID: .number(5), commentCount: count))
        #expect(try await backend.found(query) == (count == 3 ? [] : .numbers(5)) + .numbers(8, 4, 1, 7, 3, 6, 2))
    }

    @Test(arguments: FeedOrder.allCases)
    func `a page after an unknown image is refused`(order: FeedOrder) async throws {
        let cursor = FeedCursor(imageID: .number(9), commentCount: 1)
        await #expect(throws: ImageNotFound(id: .number(9))) {
            try await backend.found(SearchFeed(order: order, after: cursor))
        }
    }

    @Test(arguments: orders)
    func `a page after an image that is not among the results has those behind it`(order: (FeedOrder, [Int]))
        async throws
    {
        try await backend.publish(20, "needle")
        try await backend.publish(21, "needle", comments: 9)
        let cursor = FeedCursor(imageID: .number(5))
        let found = try await backend.found(SearchFeed("needle", order: order.0, after: cursor))
        let expected: [Int] =
            switch order.0 {
            case .newest: []
            case .oldest: [20, 21]
            case .mostCommented: [20]
            }
        #expect(found == expected.map { UUID.number($0) })
    }
}
