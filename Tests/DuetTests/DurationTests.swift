import Duet
import Testing

struct DurationTests {
    @Test(
        arguments: [
            (Duration.nanoseconds(99_888_856), "0.1 seconds"), (.microseconds(1_499), "0.001 seconds"),
            (.microseconds(1_500), "0.002 seconds"), (.milliseconds(1), "0.001 seconds"), (.seconds(2), "2.0 seconds"),
            (.microseconds(59_999_999), "60.0 seconds"), (.zero, "0.0 seconds"),
            // Rounding would make these zero.
            (.microseconds(999), "0.000999 seconds"), (.microseconds(100), "0.0001 seconds"),
        ]
    )
    func `a duration is displayed in milliseconds`(duration: Duration, text: String) {
        #expect("\(duration.inMilliseconds)" == text)
        let error = DispatchError.timedOut(message: "m", after: duration)
        #expect(error.description.contains("longer than \(text)."))
    }
}
