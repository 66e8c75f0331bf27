import Duet
import DuetCaching
import DuetTesting
import Foundation
import TestSupport
import Testing

@Suite
struct PolicyTests {
    @Test func `a stale value is served while it is loaded again`() async throws {
        let world = try World(.maxAge(.seconds(60)).staleWhileRevalidate(.seconds(30)))
        _ = try await world.notes()
        world.date.advance(by: 89)
        world.server.notes = ["Bread"]
        let gate = world.server.holdNext()
        #expect(try await world.notes() == ["Milk"])
        await gate.arrivals(1)
        let joined = Task { try await world.result(.fresh) }
        await world.hasCoalesced(1)
        gate.open()
        #expect(try await joined.value.value == ["Bread"])
        #expect(try await world.notes() == ["Bread"])
        #expect(world.server.loads == 2)
    }

    @Test(arguments: [(89.0, true), (90, false), (91, false)])
    func `a stale value is served for a limited time`(age: Double, isServed: Bool) async throws {
        let world = try World(.maxAge(.seconds(60)).staleWhileRevalidate(.seconds(30)))
        _ = try await world.notes()
        world.date.advance(by: age)
        world.server.notes = ["Bread"]
        #expect(try await world.notes() == (isServed ? ["Milk"] : ["Bread"]))
    }

    @Test(arguments: [(159.0, true), (160, false), (161, false)])
    func `a stale value is served for a limited time if loading fails`(age: Double, isServed: Bool) async throws {
        let world = try World(.maxAge(.seconds(60)).staleIfError(.seconds(100)))
        _ = try await world.notes()
        world.date.advance(by: age)
        world.server.failure = NoConnection()
        let notes = try? await world.notes()
        #expect((notes != nil) == isServed)
    }

    @Test func `a value that is not read becomes stale after the idle time`() async throws {
        let world = try World(.untilInvalidated.idleTime(.seconds(10)))
        _ = try await world.notes()
        for _ in 0..<3 {
            world.date.advance(by: 9)
            _ = try await world.notes()
        }
        #expect(world.server.loads == 1)
        world.date.advance(by: 10)
        _ = try await world.notes()
        #expect(world.server.loads == 2)
    }

    @Test func `a value can determine its own age`() async throws {
        let world = try World(.maxAge { .seconds($0.count) })
        world.server.notes = ["a", "b"]
        _ = try await world.notes()
        world.date.advance(by: 1)
        _ = try await world.notes()
        #expect(world.server.loads == 1)
        world.date.advance(by: 1)
        _ = try await world.notes()
        #expect(world.server.loads == 2)
    }

    @Test func `a value is refreshed ahead of its expiration`() async throws {
        let world = try World(.maxAge(.seconds(100)).refreshAhead(after: 0.8))
        _ = try await world.notes()
        world.date.advance(by: 79)
        _ = try await world.notes()
        #expect(world.server.loads == 1)
        world.date.advance(by: 1)
        let gate = world.server.holdNext()
        #expect(try await world.notes() == ["Milk"])
        await gate.arrivals(1)
        #expect(world.server.loads == 2)
        gate.open()
    }

    @Test func `a slow load returns the stale value after the soft timeout, and is stored later`() async throws {
        let world = try World(.maxAge(.seconds(60)).staleIfError(.days(1)).softTimeout(.seconds(1)))
        _ = try await world.notes()
        world.date.advance(by: 60)
        world.server.notes = ["Bread"]
        let gate = world.server.holdNext()
        let slow = Task { try await world.result() }
        await world.clock.nextSleeper()
        world.clock.advance(by: .seconds(1))
        let stale = try await slow.value
        #expect(stale.value == ["Milk"])
        #expect(stale.error is CacheTimeout)
        let joined = Task { try await world.result(.fresh) }
        await world.hasCoalesced(1)
        gate.open()
        #expect(try await joined.value.value == ["Bread"])
        #expect(try await world.result().origin == .memory)
    }

    @Test func `a load without a stale value throws after the hard timeout, and is stored later`() async throws {
        let world = try World(.maxAge(.seconds(60)).hardTimeout(.seconds(2)))
        let gate = world.server.holdNext()
        let slow = Task { try await world.result() }
        await world.clock.nextSleeper()
        world.clock.advance(by: .seconds(2))
        let error = await #expect(throws: CacheTimeout.self) { try await slow.value }
        #expect(error?.timeout == .seconds(2))
        let joined = Task { try await world.result() }
        await world.hasCoalesced(1)
        gate.open()
        #expect(try await joined.value.value == ["Milk"])
        #expect(world.server.loads == 1)
    }

    /// These seven days have 167 hours.
    @Test(arguments: [(-1.0, 1), (0, 2), (1, 2)])
    func `seven calendar days are shorter when daylight saving begins`(difference: Double, loads: Int) async throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: "Europe/Berlin"))
        let world = try World(.maxAge(7, .day, in: calendar))
        let beforeChange = try #require(
            calendar.date(from: DateComponents(year: 2026, month: 3, day: 26, hour: 12))
        )
        world.date.advance(by: beforeChange.timeIntervalSinceReferenceDate)
        _ = try await world.notes()
        world.date.advance(by: 167 * 3_600 + difference)
        _ = try await world.notes()
        #expect(world.server.loads == loads)
    }

    @Test func `a refresh may report that the stored value is still right`() async throws {
        let world = try World {
            Cache(
                LoadNotes.self,
                .maxAge(.seconds(60)),
                refresh: { query, stored, next in
                    let notes = try await next.dispatch(query)
                    return notes.count == stored.count ? nil : notes
                }
            )
        }
        _ = try await world.notes()
        world.date.advance(by: 60)
        world.server.notes = ["Bread"]
        #expect(try await world.notes() == ["Milk"])
        world.date.advance(by: 59)
        #expect(try await world.notes() == ["Milk"])
        #expect(world.server.loads == 2)
    }
}
