import Duet
import DuetTesting
import Testing

@Suite
struct TimeoutMiddlewareTests {
    private let clock = ManualClock()
    private let handler: NapHandler
    private let dispatcher: any Dispatcher
    private let timedOut = DispatchError.timedOut(message: "DuetTests.Nap", after: .seconds(2))

    init() throws {
        let handler = NapHandler(clock: clock)
        self.handler = handler
        dispatcher = try StandardDispatcher {
            handler
            SlowCommandHandler(clock: handler.clock)
            FailingQueryHandler()
            AddSomethingHandler()
        }
        .timeout(.seconds(2), clock: clock)
    }

    @Test(arguments: [Duration.milliseconds(1_999), .milliseconds(2_000)])
    func `a message within the time limit returns its value`(duration: Duration) async throws {
        let nap = await start(Nap(duration: duration))
        clock.advance(by: duration)
        #expect(try await nap.value == "rested")
        #expect(handler.journal.entries == [])
    }

    @Test(arguments: [Duration.milliseconds(2_001), .seconds(3_600)])
    func `a message that takes longer is canceled and times out`(duration: Duration) async throws {
        let nap = await start(Nap(duration: duration))
        clock.advance(by: .seconds(2))
        await #expect(throws: timedOut) { try await nap.value }
        #expect(handler.journal.entries == ["canceled"])
    }

    @Test
    func `a timeout of a command contains its name`() async {
        let command = Task { try await dispatcher.dispatch(SlowCommand()) }
        await clock.nextSleeper()
        await clock.nextSleeper()
        clock.advance(by: .seconds(2))
        await #expect(throws: DispatchError.timedOut(message: "DuetTests.SlowCommand", after: .seconds(2))) {
            try await command.value
        }
    }

    @Test
    func `a late value is returned`() async throws {
        let nap = await start(Nap(duration: .seconds(5), whenWoken: .finishesAllTheSame))
        clock.advance(by: .seconds(2))
        #expect(try await nap.value == "tired")
        #expect(handler.journal.entries == ["canceled"])
    }

    @Test
    func `an error of a handler within the time limit is unchanged`() async {
        await #expect(throws: Refusal()) { try await dispatcher.dispatch(FailingQuery()) }
    }

    @Test
    func `any error of a handler that was canceled by the timeout is a timeout`() async {
        let nap = await start(Nap(duration: .seconds(5), whenWoken: .failsInItsOwnWay))
        clock.advance(by: .seconds(2))
        await #expect(throws: timedOut) { try await nap.value }
    }

    @Test
    func `the caller's cancellation reaches the handler and is not a timeout`() async {
        let nap = await start(Nap(duration: .seconds(5)))
        nap.cancel()
        await #expect(throws: CancellationError.self) { try await nap.value }
        #expect(handler.journal.entries == ["canceled"])
    }

    @Test
    func `a canceled caller receives the handler's error`() async {
        let nap = await start(Nap(duration: .seconds(5), whenWoken: .failsInItsOwnWay))
        nap.cancel()
        await #expect(throws: Refusal(reason: "woken")) { try await nap.value }
    }

    @Test
    func `a canceled caller receives the value of a handler that finishes`() async throws {
        let nap = await start(Nap(duration: .seconds(5), whenWoken: .finishesAllTheSame))
        nap.cancel()
        #expect(try await nap.value == "tired")
    }

    @Test
    func `a value ends the wait`() async throws {
        try await dispatcher.dispatch(AddSomething())
        #expect(clock.now.offset == .zero)
    }

    @Test
    func `the outer of two timeouts may be the shorter one`() async {
        let both = dispatcher.timeout(.seconds(1), clock: clock)
        let nap = Task { try await both.dispatch(Nap(duration: .seconds(5))) }
        for _ in 1...3 { await clock.nextSleeper() }
        clock.advance(by: .seconds(1))
        await #expect(throws: DispatchError.timedOut(message: "DuetTests.Nap", after: .seconds(1))) {
            try await nap.value
        }
    }

    /// Starts a nap, and waits until both the nap and its timeout sleep.
    private func start(_ nap: Nap) async -> Task<String, any Error> {
        let task = Task { try await dispatcher.dispatch(nap) }
        await clock.nextSleeper()
        await clock.nextSleeper()
        return task
    }
}

private struct SlowCommand: Command {}

private struct SlowCommandHandler: CommandHandler {
    let clock: any Clock<Duration>

    func handle(_ command: SlowCommand) async throws { try await clock.sleep(for: .seconds(10)) }
}
