import Duet
import DuetTesting
import Synchronization
import Testing

@Suite
struct LoggingMiddlewareTests {
    private let clock = ManualClock()
    private let log = Log()
    private let dispatcher: any Dispatcher

    init() throws {
        let clock = clock
        let log = log
        dispatcher = try StandardDispatcher {
            NapHandler(clock: clock)
            AddSomethingHandler()
            FailingQueryHandler()
            FailingCommandHandler()
        }
        .logging(clock: clock) { log.add($0) }
    }

    @Test
    func `a query is logged with its name and duration`() async throws {
        let nap = Task { try await dispatcher.dispatch(Nap(duration: .milliseconds(250))) }
        await clock.nextSleeper()
        clock.advance(by: .milliseconds(250))
        #expect(try await nap.value == "rested")
        let event = try #require(log.events.first)
        #expect(event.message == "DuetTests.Nap")
        #expect(event.duration == .milliseconds(250))
        #expect(event.error == nil)
        #expect(log.events.count == 1)
    }

    @Test
    func `a command is logged and its content is not`() async throws {
        try await dispatcher.dispatch(AddSomething(text: "a secret"))
        let event = try #require(log.events.first)
        #expect(event.message == "DuetTests.AddSomething")
        #expect(event.duration == .zero)
        #expect(event.error == nil)
        #expect(!String(reflecting: event).contains("secret"))
    }

    @Test(arguments: [FailingQuery(reason: "a"), FailingCommand(reason: "a")] as [any Message])
    func `a failed message is logged with its error, which reaches the caller`(message: any Message) async throws {
        await #expect(throws: Refusal(reason: "a")) { _ = try await dispatcher.dispatch(message) }
        let event = try #require(log.events.first)
        #expect(event.message == "DuetTests.\(type(of: message))")
        #expect(event.error as? Refusal == Refusal(reason: "a"))
    }

    @Test
    func `a message without a handler is logged`() async throws {
        await #expect(throws: DispatchError.self) { try await dispatcher.dispatch(GetInfo(subject: "x")) }
        #expect(log.events.map(\.message) == ["DuetTests.GetInfo"])
        #expect(log.events.first?.error is DispatchError)
    }
}

private final class Log: Sendable {
    private let list = Mutex<[DispatchEvent]>([])

    var events: [DispatchEvent] { list.withLock { $0 } }

    func add(_ event: DispatchEvent) {
        list.withLock { $0.append(event) }
    }
}
