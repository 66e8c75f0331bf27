import Duet
import FeedBackend
import FeedFeature
import FeedTesting
import Foundation
import HTTPTypes
import HummingbirdTesting
import Testing

@Suite(.serialized) struct RemovedImagesTests {
    private let backend: TestBackend

    init() async throws {
        backend = try await TestBackend()
    }

    private var removed: [UUID] {
        get async throws { try await backend.dispatcher.dispatch(LoadRemovedImages()) }
    }

    @Test func `the last removal comes first, and a repeat changes nothing`() async throws {
        try await backend.publish(1...3)
        #expect(try await removed == [])
        for number in [2, 3, 2] { try await backend.remove(number) }
        #expect(try await removed == .numbers(3, 2))
        try await backend.remove(9)
        #expect(try await removed == .numbers(3, 2), "it never existed")
        try await backend.test { client in
            let response = try await client.get("/v1/feed/removed")
            #expect(try response.json([String: [UUID]].self) == ["ids": .numbers(3, 2)])
        }
    }

    @Test func `the last hundred removals are listed`() async throws {
        try await backend.publish(1...101)
        for number in 1...99 { try await backend.remove(number) }
        #expect(try await removed.count == 99)
        try await backend.remove(100)
        #expect(try await removed.count == 100)
        try await backend.remove(101)
        #expect(try await removed.first == .number(101))
        #expect(try await removed.last == .number(2))
        #expect(try await removed.count == LoadRemovedImages.limit)
    }

    @Test func `a removal reaches an observer`() async throws {
        try await backend.publish(1...2)
        var updates = QueryUpdates(try await backend.dispatcher.observe(LoadRemovedImages()))
        guard case .value([]) = await updates.next() else { return #expect(Bool(false), "no first value") }
        try await backend.remove(1)
        guard case .value([.number(1)]) = await updates.next() else { return #expect(Bool(false), "no removal") }
    }
}
