import Duet
import Testing

struct DurationTests {
    @Test(
        arguments: [
            (Duration.zero, "0 milliseconds"), (.nanoseconds(499), "0 milliseconds"),
            (.microseconds(1), "0.001 milliseconds"),
            (.microseconds(100), "0.1 milliseconds"), (.microseconds(203), "0.203 milliseconds"),
            (.milliseconds(1), "1 millisecond"), (.nanoseconds(99_888_856), "100 milliseconds"),
            (.microseconds(999_900), "1 second"), (.milliseconds(1_250), "1.25 seconds"), (.seconds(2), "2 seconds"),
            (.microseconds(59_999_900), "1 minute"), (.seconds(61), "1 minute 1 second"),
            (.seconds(5_400), "1 hour 30 minutes"), (.seconds(7 * 86_400), "7 days"),
            (.seconds(90_061), "1 day 1 hour"), (.milliseconds(-250), "minus 250 milliseconds"),
            (.seconds(Int64.max), "11574074 days 1 hour"),
        ]
    )
    func `a duration is displayed in the units that people use`(duration: Duration, text: String) {
        #expect(duration.text == text)
    }

    @Test func `the error of a timeout names the duration`() {
        let error = DispatchError.timedOut(message: "m", after: .milliseconds(20))
        #expect(error.description.contains("longer than 20 milliseconds."))
    }
}
