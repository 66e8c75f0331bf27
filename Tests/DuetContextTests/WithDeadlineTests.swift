import DuetContext
import DuetTesting
import ServiceContextModule
import Testing

struct WithDeadlineTests {
    private let clock = ManualClock()

    private var remaining: Duration? { ServiceContext.current?.deadline?.remaining }

    @Test func `an operation has the deadline that it is given, and nothing after it has`() async {
        let within = await withDeadline(in: .seconds(5), clock: clock) { remaining }
        #expect(within == .seconds(5))
        #expect(remaining == nil)
    }

    @Test(arguments: [(4, 4), (5, 5), (6, 5)])
    func `nobody gives out more time than was given to them`(inner: Int, expected: Int) async {
        let within = await withDeadline(in: .seconds(5), clock: clock) {
            await withDeadline(in: .seconds(inner), clock: clock) { remaining }
        }
        #expect(within == .seconds(expected))
    }

    @Test func `time that has passed already is not given back`() async {
        let within = await withDeadline(in: .seconds(5), clock: clock) {
            clock.advance(by: .seconds(4))
            return await withDeadline(in: .seconds(5), clock: clock) { remaining }
        }
        #expect(within == .seconds(1))
    }

    @Test func `what else travels beside the message stays`() async {
        var context = ServiceContext.topLevel
        context.idempotencyKey = "once"
        let key = await ServiceContext.withValue(context) {
            await withDeadline(in: .seconds(5), clock: clock) { ServiceContext.current?.idempotencyKey }
        }
        #expect(key == "once")
    }

    @Test func `an error of the operation comes out as it is`() async {
        await #expect(throws: Failure.self) {
            try await withDeadline(in: .seconds(5), clock: clock) { throw Failure() }
        }
    }

    private struct Failure: Error {}
}
