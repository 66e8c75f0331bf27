import DuetCaching
import Foundation
import Testing

@testable import DuetCluster

struct CacheValidityTests {
    private let cache = UUID()

    private func key(_ query: String, _ text: String = "") -> CacheKey {
        CacheKey(query: query, version: 1, scope: nil, encodedQuery: Data(text.utf8))
    }

    private func connected(at position: UInt64 = 10) -> CacheValidity {
        var validity = CacheValidity()
        validity.note(position, epoch: 1, of: cache)
        return validity
    }

    @Test func `values from before the node followed the events are not valid`() {
        let validity = connected(at: 10)
        #expect(!validity.isValid(key("A"), tags: [], position: 9))
        #expect(validity.isValid(key("A"), tags: [], position: 10))
        #expect(CacheValidity().current == nil)
        #expect(validity.current?.epoch == 1)
    }

    @Test func `an event makes values stale whose load began before it`() {
        var validity = connected()
        validity.invalidate(.query("A"), before: 12)
        validity.invalidate(.tag("t"), before: 13)
        validity.invalidate(.some(query: "B") { $0.encodedQuery == Data("x".utf8) }, before: 14)
        #expect(!validity.isValid(key("A"), tags: [], position: 11))
        #expect(validity.isValid(key("A"), tags: [], position: 12))
        #expect(!validity.isValid(key("C"), tags: ["s", "t"], position: 12))
        #expect(validity.isValid(key("C"), tags: ["s"], position: 12))
        #expect(!validity.isValid(key("B", "x"), tags: [], position: 13))
        #expect(validity.isValid(key("B", "y"), tags: [], position: 11))
    }

    @Test func `until the position of an invalidation is known, it concerns all values`() {
        var validity = connected()
        let id = validity.beginInvalidation(.query("A"))
        #expect(!validity.isValid(key("A"), tags: [], position: 1_000))
        #expect(validity.isValid(key("B"), tags: [], position: 10))
        #expect(validity.lastPendingID == id)
        validity.endInvalidations(through: id, before: 20)
        #expect(validity.lastPendingID == nil)
        #expect(!validity.isValid(key("A"), tags: [], position: 19))
        #expect(validity.isValid(key("A"), tags: [], position: 20))
    }

    @Test func `the position of a load is that of the last event before its epoch`() {
        var validity = connected(at: 10)
        validity.note(11, epoch: 1, of: cache)
        validity.note(12, epoch: 3, of: cache)
        #expect(validity.position(ofEpoch: 0) == nil)
        #expect(validity.position(ofEpoch: 1) == 11)
        #expect(validity.position(ofEpoch: 2) == 11)
        #expect(validity.position(ofEpoch: 4) == 12)
    }

    @Test func `many invalidations are merged, and none is lost`() {
        var validity = connected(at: 0)
        for position in 1...5_000 { validity.invalidate(.tag("\(position)"), before: UInt64(position)) }
        for position in [1, 100, 2_500, 4_999, 5_000] {
            #expect(!validity.isValid(key("A"), tags: ["\(position)"], position: UInt64(position - 1)))
        }
        #expect(validity.isValid(key("A"), tags: ["5000"], position: 5_000))
    }
}
