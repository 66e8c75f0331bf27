import Duet
import Testing

/// Two methods make a dispatcher, which then fits wherever one is expected.
@Suite
struct OwnDispatcherTests {
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
        let both: any CommandQueryDispatcher = Noting(next: standard, journal: journal)
        let writer: any CommandDispatcher = both
        let reader: any QueryDispatcher = both
        try await writer.dispatch(AddSomething())
        #expect(try await reader.dispatch(GetInfo(subject: "x")) == Info(text: "About x"))
        #expect(journal.entries == ["DuetTests.AddSomething", "DuetTests.GetInfo"])
    }

    @Test
    func `it is wrapped in middleware and wraps dispatchers`() async throws {
        let dispatcher = Noting(next: standard.with(.validation), journal: journal).with(.validation)
        #expect(try await dispatcher.dispatch(GetInfo(subject: "x")) == Info(text: "About x"))
        #expect(journal.entries == ["DuetTests.GetInfo"])
    }
}

private struct Noting: CommandQueryDispatcher {
    let next: any CommandQueryDispatcher
    let journal: Journal

    func dispatch<C: Command>(_ command: C) async throws {
        journal.write(C.messageName)
        try await next.dispatch(command)
    }

    func dispatch<Q: Query>(_ query: Q) async throws -> Q.Value {
        journal.write(Q.messageName)
        return try await next.dispatch(query)
    }
}
