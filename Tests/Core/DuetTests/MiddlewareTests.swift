import Duet
import Synchronization
import Testing

@Suite
struct MiddlewareTests {
    private let journal = Journal()
    private let standard: StandardDispatcher

    init() throws {
        let journal = journal
        standard = try StandardDispatcher {
            GetInfoHandler()
            AddSomethingHandler(journal: journal)
            FailingQueryHandler()
        }
    }

    @Test
    func `each layer wraps those that are written before it`() async throws {
        let dispatcher =
            standard
            .with(Around("c", journal))
            .with(Around("b", journal))
            .with(Around("a", journal))
        try await dispatcher.dispatch(AddSomething(text: "handled"))
        #expect(journal.entries == ["a in", "b in", "c in", "handled", "c out", "b out", "a out"])
    }

    @Test
    func `middleware wraps queries like commands`() async throws {
        let dispatcher = standard.with(Around("b", journal)).with(Around("a", journal))
        #expect(try await dispatcher.dispatch(GetInfo(subject: "x")) == Info(text: "About x"))
        #expect(journal.entries == ["a in", "b in", "b out", "a out"])
    }

    @Test
    func `a second call of with adds outer layers`() async throws {
        let dispatcher = standard.with(Around("inner", journal)).with(Around("outer", journal))
        _ = try await dispatcher.dispatch(GetInfo(subject: "x"))
        #expect(journal.entries == ["outer in", "inner in", "inner out", "outer out"])
    }

    @Test
    func `an error passes through the layers unchanged`() async {
        let dispatcher = standard.with(Around("b", journal)).with(Around("a", journal))
        await #expect(throws: Refusal(reason: "x")) { try await dispatcher.dispatch(FailingQuery(reason: "x")) }
        #expect(journal.entries == ["a in", "b in"])
    }

    @Test
    func `the layers are composed once and serve every dispatch`() async throws {
        let counting = Counting()
        let dispatcher = standard.with(Around("a", journal)).with(counting)
        for _ in 1...3 { try await dispatcher.dispatch(AddSomething()) }
        #expect(counting.count == 3)
        #expect(Set(journal.entries) == ["a in", "something", "a out"])
    }

    @Test
    func `a middleware stops a message`() async {
        let dispatcher = standard.with(Around("a", journal)).with(Stop())
        await #expect(throws: Refusal(reason: "DuetTests.AddSomething")) {
            try await dispatcher.dispatch(AddSomething())
        }
        await #expect(throws: Refusal(reason: "DuetTests.GetInfo")) {
            try await dispatcher.dispatch(GetInfo(subject: "x"))
        }
        #expect(journal.entries == [])
    }

    @Test
    func `a middleware changes a message`() async throws {
        let dispatcher = standard.with(Change())
        try await dispatcher.dispatch(AddSomething(text: "old"))
        #expect(journal.entries == ["changed"])
        #expect(try await dispatcher.dispatch(GetInfo(subject: "old")) == Info(text: "About change"))
    }

    @Test
    func `middleware for commands forwards queries`() async throws {
        let dispatcher = standard.with(CommandsOnly(journal: journal))
        #expect(try await dispatcher.dispatch(GetInfo(subject: "x")) == Info(text: "About x"))
        #expect(journal.entries == [])
        try await dispatcher.dispatch(AddSomething())
        #expect(journal.entries == ["command", "something"])
    }

    @Test
    func `middleware for queries forwards commands`() async throws {
        let dispatcher = standard.with(QueriesOnly(journal: journal))
        try await dispatcher.dispatch(AddSomething())
        #expect(journal.entries == ["something"])
        _ = try await dispatcher.dispatch(GetInfo(subject: "x"))
        #expect(journal.entries == ["something", "query"])
    }
}

private struct Around: Middleware {
    let name: String
    let journal: Journal

    init(_ name: String, _ journal: Journal) {
        self.name = name
        self.journal = journal
    }

    func dispatch<M: Message>(_ message: M, next: some Dispatcher) async throws -> M.Value {
        journal.write("\(name) in")
        let value = try await next.dispatch(message)
        journal.write("\(name) out")
        return value
    }
}

/// Counts the dispatches of a single instance.
private final class Counting: Middleware {
    private let dispatches = Mutex(0)

    var count: Int { dispatches.withLock { $0 } }

    func dispatch<M: Message>(_ message: M, next: some Dispatcher) async throws -> M.Value {
        dispatches.withLock { $0 += 1 }
        return try await next.dispatch(message)
    }
}

private struct Stop: Middleware {
    func dispatch<M: Message>(_ message: M, next: some Dispatcher) async throws -> M.Value {
        throw Refusal(reason: M.messageName)
    }
}

private struct Change: Middleware {
    func dispatch<M: Message>(_ message: M, next: some Dispatcher) async throws -> M.Value {
        var message = message
        if var changed = message as? AddSomething {
            changed.text = "changed"
            message = (changed as? M) ?? message
        } else if var changed = message as? GetInfo {
            changed.subject = "change"
            message = (changed as? M) ?? message
        }
        return try await next.dispatch(message)
    }
}

private struct CommandsOnly: Middleware {
    let journal: Journal

    func dispatch<M: Message>(_ message: M, next: some Dispatcher) async throws -> M.Value {
        if M.self is any Command.Type { journal.write("command") }
        return try await next.dispatch(message)
    }
}

private struct QueriesOnly: Middleware {
    let journal: Journal

    func dispatch<M: Message>(_ message: M, next: some Dispatcher) async throws -> M.Value {
        if M.self is any Query.Type { journal.write("query") }
        return try await next.dispatch(message)
    }
}
