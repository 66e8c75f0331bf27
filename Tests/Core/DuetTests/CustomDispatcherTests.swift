import Duet
import Testing

/// One method makes a custom dispatcher, which fits wherever a dispatcher is expected.
@Suite
struct CustomDispatcherTests {
    private let journal = Journal()
    private let standard: StandardDispatcher

    init() throws {
        standard = try StandardDispatcher {
            GetInfoHandler()
            AddSomethingHandler()
        }
    }

    @Test
    func `it is a dispatcher, and each of its halves`() async throws {
        let both: any Dispatcher = Noting(next: standard, journal: journal)
        let writer: any CommandDispatcher = both
        let reader: any QueryDispatcher = both
        try await writer.dispatch(AddSomething())
        #expect(try await reader.dispatch(GetInfo(subject: "x")) == Info(text: "About x"))
        #expect(journal.entries == ["DuetTests.AddSomething", "DuetTests.GetInfo"])
    }

    @Test
    func `it is wrapped in middleware and wraps dispatchers`() async throws {
        let dispatcher = Noting(next: standard.validating(), journal: journal).validating()
        #expect(try await dispatcher.dispatch(GetInfo(subject: "x")) == Info(text: "About x"))
        #expect(journal.entries == ["DuetTests.GetInfo"])
    }
}

private struct Noting: Dispatcher {
    let next: any Dispatcher
    let journal: Journal

    func dispatch<M: Message>(_ message: M) async throws -> M.Value {
        journal.write(M.messageName)
        return try await next.dispatch(message)
    }
}
