import Duet
import FeedBackend
import FeedFeature
import Foundation
import Testing

@Suite(.serialized) struct FeedPagingTests {
    private let backend: TestBackend

    init() async throws {
        backend = try await TestBackend()
    }

    @Test func `the newest image comes first`() async throws {
        try await backend.publish(1...3)
        #expect(try await backend.page() == [.number(3), .number(2), .number(1)])
    }

    @Test func `pages follow each other to the empty one that ends the feed`() async throws {
        try await backend.publish(1...25)
        var pages: [[UUID]] = []
        repeat {
            pages.append(try await backend.page(after: pages.last?.last, limit: 10))
        } while pages.last?.isEmpty == false
        #expect(pages.map(\.count) == [10, 10, 5, 0])
        #expect(pages.flatMap(\.self) == (1...25).reversed().map { .number($0) })
    }

    @Test(arguments: [1, 2, 3, 4])
    func `a page after a removed image continues at its position`(removed: Int) async throws {
        try await backend.publish(1...4)
        try await backend.dispatcher.dispatch(RemoveImage(id: .number(removed)))
        #expect(try await backend.page(after: .number(removed)) == (1..<removed).reversed().map { .number($0) })
    }

    @Test func `positions of removed images are not reused`() async throws {
        try await backend.publish(1...3)
        for id in 2...3 { try await backend.dispatcher.dispatch(RemoveImage(id: .number(id))) }
        try await backend.publish(4...5)
        #expect(try await backend.page(after: .number(3)) == [.number(1)])
        #expect(try await backend.page(after: .number(4)) == [.number(1)])
    }

    @Test func `a page after an unknown image is refused`() async throws {
        try await backend.publish(1...2)
        await #expect(throws: ImageNotFound(id: .number(9))) {
            try await backend.page(after: .number(9))
        }
    }

    @Test(arguments: [1, 2, 99, 100])
    func `a page has the requested number of images`(limit: Int) async throws {
        try await backend.publish(1...101)
        #expect(try await backend.page(limit: limit).count == limit)
    }

    @Test(arguments: [-1, 0, 101, .max])
    func `a limit outside of the bounds is refused`(limit: Int) async throws {
        await #expect(throws: InvalidMessage.self) { try await backend.send(LoadFeed(limit: limit)) }
    }

    @Test func `pages read while images are published neither repeat nor skip one`() async throws {
        try await backend.publish(1...40)
        async let publishing: Void = backend.publish(41...80)
        var seen: [UUID] = []
        while true {
            let page = try await backend.page(after: seen.last, limit: 7)
            if page.isEmpty { break }
            seen += page
        }
        try await publishing
        #expect(Set(seen).count == seen.count)
        #expect(seen.suffix(40) == (1...40).reversed().map { .number($0) })
    }
}
