import DuetTesting
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct GateTests {
    private let gate = Gate()

    @Test func `tasks wait until the gate is opened, and later ones pass`() async throws {
        let tasks = (1...2).map { _ in Task { [gate] in try await gate.pass() } }
        await gate.arrivals(2)
        #expect(!gate.isOpen)
        gate.open()
        #expect(gate.isOpen)
        for task in tasks { try await task.value }
        try await gate.pass()
        await gate.arrivals(3)
    }

    @Test func `a wait ends when its task is canceled, and does not open the gate`() async {
        let task = Task { [gate] in try await gate.pass() }
        await gate.arrivals(1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(!gate.isOpen)
    }

    @Test func `a task that was canceled before it arrived does not wait`() async {
        let result = await canceled { [gate] in try await gate.pass() }
        #expect(throws: CancellationError.self) { try result.get() }
        await gate.arrivals(1)
    }
}
