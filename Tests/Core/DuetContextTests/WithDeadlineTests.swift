import DuetContext
import DuetTesting
import ServiceContextModule
import Testing

struct WithDeadlineTests {
    private let clock = ManualClock()

    private var remaining: Duration? { ServiceContext.current?.deadline?.remaining }

    @Test func `an operation has its deadline, and later work has not`() async {
        let within = await withDeadline(in: .seconds(5), clock: clock) { remaining }
        #expect(within == .seconds(5))
        #expect(remaining == nil)
    }

    @Test(arguments: [(4, 4), (5, 5), (6, 5)])
    func `an inner deadline does not extend an outer one`(inner: Int, expected: Int) async {
        let within = await withDeadline(in: .seconds(5), clock: clock) {
            await withDeadline(in: .seconds(inner), clock: clock) { remaining }
        }
        #expect(within == .seconds(expected))
    }

    @Test func `a deadline that has passed is not extended`() async {
        let within = await withDeadline(in: .seconds(5), clock: clock) {
            clock.advance(by: .seconds(4))
            return await withDeadline(in: .seconds(5), clock: clock) { remaining }
        }
        #expect(within == .seconds(1))
    }

    @Test func `other values that travel with the message stay`() async {
        var context = ServiceContext.topLevel
        context.idempotencyKey = "once"
        let key = await ServiceContext.withValue(context) {
            await withDeadline(in: .seconds(5), clock: clock) { ServiceContext.current?.idempotencyKey }
        }
        #expect(key == "once")
    }

    @Test func `the error of the operation is thrown unchanged`() async {
        await #expect(throws: Failure.self) {
            try await withDeadline(in: .seconds(5), clock: clock) { throw Failure() }
        }
    }

    private struct Failure: Error {}
}
