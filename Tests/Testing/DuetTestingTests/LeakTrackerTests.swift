import DuetTesting
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5)))
struct LeakTrackerTests {
    private let leaks = LeakTracker()

    @Test
    func `a released instance is not alive`() {
        do { leaks.track(Session()) }
        #expect(leaks.alive == [])
        #expect(leaks.count == 1)
    }

    @Test
    func `a retained instance is named with the line where it was tracked`() {
        var sessions: [Session] = []
        sessions.append(leaks.track(Session()))
        let line = #line - 1
        leaks.track(Session())
        #expect(leaks.alive == ["Session, tracked at DuetTestingTests/LeakTrackerTests.swift:\(line)"])
        #expect(leaks.count == 2)
        sessions = []
        #expect(leaks.alive == [])
    }

    @Test
    func `two instances that retain each other are alive without other references`() {
        weak let leaked = makeRing()
        #expect(leaks.alive.count == 2)
        leaked?.partner.withLock { $0 = nil }
        #expect(leaks.alive == [])
    }

    @Test
    func `many tasks track concurrently`() async {
        let leaks = leaks
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<200 {
                group.addTask { leaks.track(Session()) }
            }
        }
        #expect(leaks.count == 200)
        #expect(leaks.alive == [])
    }
}

extension LeakTrackerTests {
    private func makeRing() -> Ring {
        let first = leaks.track(Ring())
        let second = leaks.track(Ring())
        first.partner.withLock { $0 = second }
        second.partner.withLock { $0 = first }
        return first
    }
}

private final class Session: Sendable {}

private final class Ring: Sendable {
    let partner = Mutex<Ring?>(nil)
}
