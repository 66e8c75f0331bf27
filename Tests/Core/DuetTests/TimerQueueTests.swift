import Duet
import DuetTesting
import Testing

@Suite
struct TimerQueueTests {
    private let clock = ManualClock()
    private let timers: TimerQueue<ManualClock>
    private let fired = AsyncStream<String>.makeStream()

    init() {
        timers = TimerQueue(clock)
    }

    @Test
    func `a timer fires when it is due and not before`() async {
        var names = fired.stream.makeAsyncIterator()
        let late = set("late", in: .milliseconds(2_001))
        let due = set("due", in: .milliseconds(2_000))
        let early = set("early", in: .milliseconds(1_999))
        for _ in 1...3 { await clock.nextSleeper() }

        clock.advance(by: .milliseconds(1_999))
        #expect(await names.next() == "early")
        #expect(!timers.cancel(early))
        clock.advance(by: .milliseconds(1))
        #expect(await names.next() == "due")
        #expect(!timers.cancel(due))
        #expect(timers.cancel(late))
    }

    @Test(arguments: [Duration.zero, .seconds(-1)])
    func `an overdue timer fires immediately`(duration: Duration) async {
        var names = fired.stream.makeAsyncIterator()
        _ = set("over", in: duration)
        #expect(await names.next() == "over")
    }

    @Test
    func `a canceled timer does not fire`() async {
        var names = fired.stream.makeAsyncIterator()
        let first = set("first", in: .seconds(2))
        _ = set("second", in: .seconds(2))
        #expect(timers.cancel(first))
        #expect(!timers.cancel(first))
        await clock.nextSleeper()
        clock.advance(by: .seconds(2))
        #expect(await names.next() == "second")
        _ = set("third", in: .zero)
        #expect(await names.next() == "third")
    }

    @Test
    func `one sleep serves all timers that are due after it`() async {
        var names = fired.stream.makeAsyncIterator()
        #expect(timers.cancel(set("stopped", in: .seconds(4))))
        #expect(await clock.nextSleeper() == .seconds(4))
        clock.advance(by: .seconds(2))
        for _ in 1...100 { #expect(timers.cancel(set("stopped", in: .seconds(4)))) }
        _ = set("last", in: .seconds(8))

        // A sleep for one of them would be recorded here.
        clock.advance(by: .seconds(2))
        #expect(await clock.nextSleeper() == .seconds(6))
        clock.advance(by: .seconds(6))
        #expect(await names.next() == "last")
    }

    @Test
    func `no sleep is long, even for a distant timer`() async {
        var names = fired.stream.makeAsyncIterator()
        for hours in (1...100).reversed() { #expect(timers.cancel(set("stopped", in: .seconds(hours * 3600)))) }
        _ = set("late", in: .seconds(25))
        // A further sleep for an earlier timer would be recorded here.
        for seconds in [10, 10, 5] {
            #expect(await clock.nextSleeper() == .seconds(seconds))
            clock.advance(by: .seconds(seconds))
        }
        #expect(await names.next() == "late")
    }

    @Test
    func `a timer that is due before all others is not late`() async {
        var names = fired.stream.makeAsyncIterator()
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
        timers.schedule(after: duration) { [fired] in fired.continuation.yield(name) }
    }
}
