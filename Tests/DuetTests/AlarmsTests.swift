import Duet
import DuetTesting
import Testing

@Suite
struct AlarmsTests {
    private let clock = ManualClock()
    private let alarms: Alarms<ManualClock>
    private let rung = AsyncStream<String>.makeStream()

    init() {
        alarms = Alarms(clock)
    }

    @Test
    func `an alarm rings when its time has come and not before`() async {
        var names = rung.stream.makeAsyncIterator()
        let late = set("late", in: .milliseconds(2_001))
        let due = set("due", in: .milliseconds(2_000))
        let early = set("early", in: .milliseconds(1_999))
        for _ in 1...3 { await clock.nextSleeper() }

        clock.advance(by: .milliseconds(1_999))
        #expect(await names.next() == "early")
        #expect(!alarms.stop(early))
        clock.advance(by: .milliseconds(1))
        #expect(await names.next() == "due")
        #expect(!alarms.stop(due))
        #expect(alarms.stop(late))
    }

    @Test(arguments: [Duration.zero, .seconds(-1)])
    func `an alarm whose time is over rings at once`(duration: Duration) async {
        var names = rung.stream.makeAsyncIterator()
        _ = set("over", in: duration)
        #expect(await names.next() == "over")
    }

    @Test
    func `an alarm that was stopped does not ring`() async {
        var names = rung.stream.makeAsyncIterator()
        let first = set("first", in: .seconds(2))
        _ = set("second", in: .seconds(2))
        #expect(alarms.stop(first))
        #expect(!alarms.stop(first))
        await clock.nextSleeper()
        clock.advance(by: .seconds(2))
        #expect(await names.next() == "second")
        _ = set("third", in: .zero)
        #expect(await names.next() == "third")
    }

    @Test
    func `one sleep serves all that are due after it`() async {
        var names = rung.stream.makeAsyncIterator()
        #expect(alarms.stop(set("stopped", in: .seconds(4))))
        #expect(await clock.nextSleeper() == .seconds(4))
        clock.advance(by: .seconds(2))
        for _ in 1...100 { #expect(alarms.stop(set("stopped", in: .seconds(4)))) }
        _ = set("last", in: .seconds(8))

        // Had one of them sent somebody to sleep, that sleep would be told of here.
        clock.advance(by: .seconds(2))
        #expect(await clock.nextSleeper() == .seconds(6))
        clock.advance(by: .seconds(6))
        #expect(await names.next() == "last")
    }

    @Test
    func `nobody sleeps for long, whenever an alarm is due`() async {
        var names = rung.stream.makeAsyncIterator()
        for hours in (1...100).reversed() { #expect(alarms.stop(set("stopped", in: .seconds(hours * 3600)))) }
        _ = set("late", in: .seconds(25))
        // Had an earlier one of them sent somebody more to sleep, that sleep would be told of here.
        for seconds in [10, 10, 5] {
            #expect(await clock.nextSleeper() == .seconds(seconds))
            clock.advance(by: .seconds(seconds))
        }
        #expect(await names.next() == "late")
    }

    @Test
    func `an alarm that is due before all others is not late`() async {
        var names = rung.stream.makeAsyncIterator()
        _ = set("second", in: .seconds(9))
        #expect(await clock.nextSleeper() == .seconds(9))
        _ = set("first", in: .seconds(1))
        #expect(await clock.nextSleeper() == .seconds(1))
        clock.advance(by: .seconds(1))
        #expect(await names.next() == "first")
        clock.advance(by: .seconds(8))
        #expect(await names.next() == "second")
    }

    private func set(_ name: String, in duration: Duration) -> Int {
        alarms.set(in: duration) { [rung] in rung.continuation.yield(name) }
    }
}
