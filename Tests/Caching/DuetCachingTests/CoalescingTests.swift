import Duet
import DuetCaching
import DuetTesting
import TestSupport
import Testing

@Suite
struct CoalescingTests {
    @Test func `concurrent callers share one load`() async throws {
        let world = try World()
        let gate = world.server.holdNext()
        try await withThrowingTaskGroup(of: [String].self) { group in
            for _ in 0..<10_000 { group.addTask { try await world.notes() } }
            await gate.arrivals(1)
            gate.open()
            for try await notes in group { #expect(notes == ["Milk"]) }
        }
        #expect(world.server.loads == 1)
    }

    @Test func `a canceled caller does not affect another`() async throws {
        let world = try World()
        let gate = world.server.holdNext()
        let first = Task { try await world.notes() }
        await gate.arrivals(1)
        let second = Task { try await world.notes() }
        await world.hasCoalesced(1)
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        gate.open()
        #expect(try await second.value == ["Milk"])
        #expect(world.server.loads == 1)
    }

    @Test func `the last caller that leaves cancels the load`() async throws {
        let world = try World()
        let gate = world.server.holdNext()
        let callers = [Task { try await world.notes() }]
        await gate.arrivals(1)
        for caller in callers { caller.cancel() }
        for caller in callers { await #expect(throws: CancellationError.self) { try await caller.value } }
        // The canceled load is not joined, and its value is not stored.
        #expect(try await world.notes() == ["Milk"])
        #expect(world.server.loads == 2)
    }

    @Test func `a load takes the highest priority of its callers`() async throws {
        let gate = Gate()
        let spy = SpyDispatcher()
        spy.stub(LoadNote.self) { _ in
            try await gate.pass()
            return "\(Task.currentPriority)"
        }
        let dispatcher = try spy.caching(in: .memory(limit: .entries(10))) { Cache(LoadNote.self, .untilInvalidated) }
        let first = Task(priority: .background) { try await dispatcher.dispatch(LoadNote(id: 1)) }
        await gate.arrivals(1)
        let second = Task(priority: .high) { try await dispatcher.dispatch(LoadNote(id: 1)) }
        while dispatcher.cache.statistics(of: LoadNote.self).coalesced < 1 { await Task.yield() }
        gate.open()
        #expect(try await second.value == "\(TaskPriority.high)")
        _ = try await first.value
    }

    @Test func `an observer that joins a load raises its priority`() async throws {
        let gate = Gate()
        let spy = SpyDispatcher()
        spy.stub(LoadNote.self) { _ in
            try await gate.pass()
            // Not raised, it would wait until the time of the suite is up.
            while Task.currentPriority < .high { await Task.yield() }
            return "raised"
        }
        let dispatcher = try spy.caching(in: .memory(limit: .entries(10))) { Cache(LoadNote.self, .untilInvalidated) }
        let caller = Task(priority: .background) { try await dispatcher.dispatch(LoadNote(id: 1)) }
        await gate.arrivals(1)
        gate.open()
        let screen = Task(priority: .high) { () -> String? in
            for try await value in dispatcher.observe(LoadNote(id: 1)).values { return value }
            return nil
        }
        #expect(try await screen.value == "raised")
        #expect(try await caller.value == "raised")
    }

    @Test func `a canceled caller does not begin a load`() async throws {
        let world = try World()
        let result = await canceled { try await world.notes() }
        #expect(throws: CancellationError.self) { try result.get() }
        #expect(world.server.loads == 0)
    }

    @Test func `a failed load fails all its callers, and the next caller loads again`() async throws {
        let world = try World()
        world.server.failure = NoConnection()
        let gate = world.server.holdNext()
        let first = Task { try await world.notes() }
        await gate.arrivals(1)
        let second = Task { try await world.notes() }
        await world.hasCoalesced(1)
        gate.open()
        await #expect(throws: NoConnection()) { try await first.value }
        await #expect(throws: NoConnection()) { try await second.value }
        world.server.failure = nil
        #expect(try await world.notes() == ["Milk"])
    }
}

extension World {
    /// Waits until a number of callers have joined loads of others.
    func hasCoalesced(_ number: Int) async {
        while dispatcher.cache.statistics(of: LoadNotes.self).coalesced < number { await Task.yield() }
    }
}
