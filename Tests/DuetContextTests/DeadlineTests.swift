import DuetContext
import DuetTesting
import Testing

struct DeadlineTests {
    private let clock = ManualClock()

    @Test func `a deadline comes closer as time passes, and stays where it was when it has passed`() {
        let deadline = Deadline(in: .seconds(2), clock: clock)
        #expect(deadline.remaining == .seconds(2))
        clock.advance(by: .milliseconds(1_999))
        #expect(deadline.remaining == .milliseconds(1))
        clock.advance(by: .milliseconds(1))
        #expect(deadline.remaining == .zero)
        clock.advance(by: .seconds(3))
        #expect(deadline.remaining == .seconds(-3))
    }

    @Test func `without a clock of its own, a deadline goes by the machine's`() {
        let remaining = Deadline(in: .seconds(3_600)).remaining
        #expect(remaining <= .seconds(3_600))
        #expect(remaining > .seconds(1_800))
    }
}
