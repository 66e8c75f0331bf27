import Duet
import DuetCaching
import DuetTesting
import Testing

@Suite
struct ReadModeTests {
    @Test func `a result has its origin and its age`() async throws {
        let world = try World()
        let first = try await world.result()
        world.date.advance(by: 10)
        let second = try await world.result()
        #expect(first.origin == .loaded)
        #expect(first.age == .zero)
        #expect(second.origin == .memory)
        #expect(second.age == .seconds(10))
        #expect(!second.isStale)
    }

    @Test func `fresh loads although there is a value`() async throws {
        let world = try World()
        _ = try await world.notes()
        world.server.notes = ["Bread"]
        #expect(try await world.result(.fresh).value == ["Bread"])
        #expect(try await world.notes() == ["Bread"])
    }

    @Test func `fresh or stale returns a stale value with the error`() async throws {
        let world = try World()
        _ = try await world.notes()
        world.date.advance(by: 3_600)
        world.server.failure = NoConnection()
        await #expect(throws: NoConnection()) { try await world.result(.fresh) }
        let stale = try await world.result(.freshOrStale)
        #expect(stale.value == ["Milk"])
        #expect(stale.isStale)
        #expect(stale.age == .seconds(3_600))
        #expect(stale.error is NoConnection)
    }

    @Test func `cache only never loads`() async throws {
        let world = try World()
        let error = await #expect(throws: NotCached.self) { try await world.result(.cacheOnly) }
        #expect(error?.query == LoadNotes.messageName)
        _ = try await world.notes()
        world.date.advance(by: 3_600)
        let result = try await world.result(.cacheOnly)
        #expect(result.value == ["Milk"])
        #expect(result.isStale)
        #expect(world.server.loads == 1)
    }

    @Test func `a fresh value can be read without waiting`() async throws {
        let world = try World()
        let cache = world.dispatcher.cache
        #expect(cache.freshValue(of: LoadNotes()) == nil)
        _ = try await world.notes()
        #expect(cache.freshValue(of: LoadNotes()) == ["Milk"])
        world.date.advance(by: 60)
        #expect(cache.freshValue(of: LoadNotes()) == nil)
        #expect(cache.freshValue(of: LoadNote(id: 1)) == nil)
    }
}
