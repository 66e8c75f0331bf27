import Duet
import TestSupport
import Testing

/// The error or cancellation of a handler reaches its caller and no other.
@Suite
struct FailureTests {
    private let dispatcher: any Dispatcher

    init() throws {
        dispatcher = try StandardDispatcher {
            GetInfoHandler()
            FailingQueryHandler()
            FailingCommandHandler()
            PatientHandler()
        }
    }

    @Test
    func `a handler's error reaches the caller unchanged`() async {
        await #expect(throws: Refusal(reason: "q")) { try await dispatcher.dispatch(FailingQuery(reason: "q")) }
        await #expect(throws: Refusal(reason: "c")) { try await dispatcher.dispatch(FailingCommand(reason: "c")) }
    }

    @Test
    func `a cancellation reaches the caller unchanged`() async {
        let result = await canceled { try await dispatcher.dispatch(Patient()) }
        #expect(throws: CancellationError.self) { try result.get() }
    }

    @Test
    func `a canceled handler may throw its own error`() async {
        let result = await canceled { try await dispatcher.dispatch(FailingQuery(reason: "own")) }
        #expect(throws: Refusal(reason: "own")) { try result.get() }
    }

    @Test
    func `a canceled handler may finish`() async throws {
        let result = await canceled { try await dispatcher.dispatch(GetInfo(subject: "x")).text }
        #expect(try result.get() == "About x")
    }

    @Test
    func `thousands of concurrent dispatches fail, are canceled, and succeed independently`() async {
        let outcomes = await withTaskGroup(of: (Int, String).self) { group in
            for number in 0..<6000 {
                group.addTask { (number, await outcome(of: number)) }
            }
            return await group.reduce(into: [Int: String]()) { $0[$1.0] = $1.1 }
        }
        #expect(outcomes.count == 6000)
        for (number, outcome) in outcomes {
            switch number % 3 {
            case 0: #expect(outcome == "About \(number)")
            case 1: #expect(outcome == "\(Refusal(reason: "\(number)"))")
            default: #expect(outcome == "\(CancellationError())")
            }
        }
    }

    private func outcome(of number: Int) async -> String {
        do {
            switch number % 3 {
            case 0: return try await dispatcher.dispatch(GetInfo(subject: "\(number)")).text
            case 1: return "\(try await dispatcher.dispatch(FailingQuery(reason: "\(number)")))"
            default: return "\(try await canceled { try await dispatcher.dispatch(Patient()) }.get())"
            }
        } catch {
            return "\(error)"
        }
    }
}

private struct Patient: Command {}

private struct PatientHandler: CommandHandler {
    func handle(_ command: Patient) async throws { try Task.checkCancellation() }
}
