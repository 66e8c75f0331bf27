import DuetContext
import DuetTesting
import Testing

struct DeadlineTests {
    private let clock = ManualClock()

    @Test func `the remaining time of a deadline decreases, and becomes negative`() {
        let deadline = Deadline(in: .seconds(2), clock: clock)
        #expect(deadline.remaining == .seconds(2))
        clock.advance(by: .milliseconds(1_999))
        #expect(deadline.remaining == .milliseconds(1))
        clock.advance(by: .milliseconds(1))
        #expect(deadline.remaining == .zero)
        clock.advance(by: .seconds(3))
        #expect(deadline.remaining == .seconds(-3))
    }

    @Test func `without a clock, a deadline uses the machine's clock`() {
        let remaining = Deadline(in: .seconds(3_600)).remaining
        #expect(remaining <= .seconds(3_600))
        #expect(remaining > .seconds(1_800))
    }
}
