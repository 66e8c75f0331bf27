import Duet
import Testing

@Suite
struct ValidationMiddlewareTests {
    private let journal = Journal()
    private let dispatcher: any Dispatcher

    init() throws {
        let journal = journal
        dispatcher = try StandardDispatcher {
            AddSomethingHandler(journal: journal)
            RenameHandler(journal: journal)
            FindHandler(journal: journal)
        }
        .validating()
    }

    @Test
    func `a valid message is handled`() async throws {
        try await dispatcher.dispatch(Rename(name: "b"))
        #expect(try await dispatcher.dispatch(Find(name: "b")) == "b")
        #expect(journal.entries == ["rename b", "find b"])
    }

    @Test
    func `an invalid message is rejected with its own error`() async {
        await #expect(throws: Refusal(reason: "empty name")) { try await dispatcher.dispatch(Rename(name: "")) }
        await #expect(throws: Refusal(reason: "empty name")) { try await dispatcher.dispatch(Find(name: "")) }
        #expect(journal.entries == [])
    }

    @Test
    func `a message that is not Validatable is handled`() async throws {
        try await dispatcher.dispatch(AddSomething())
        #expect(journal.entries == ["something"])
    }
}

private protocol Named: Validatable {
    var name: String { get }
}

extension Named {
    func validate() throws {
        if name.isEmpty { throw Refusal(reason: "empty name") }
    }
}

private struct Rename: Command, Named { let name: String }

private struct RenameHandler: CommandHandler {
    let journal: Journal
    func handle(_ command: Rename) async throws { journal.write("rename \(command.name)") }
}

private struct Find: Query, Named {
    typealias Value = String
    let name: String
}

private struct FindHandler: QueryHandler {
    let journal: Journal
    func handle(_ query: Find) async throws -> String {
        journal.write("find \(query.name)")
        return query.name
    }
}
