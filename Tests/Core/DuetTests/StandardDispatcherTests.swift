import Duet
import OtherModule
import Testing

@Suite
struct StandardDispatcherTests {
    @Test
    func `messages reach the handlers that were listed`() async throws {
        let journal = Journal()
        let dispatcher = try StandardDispatcher {
            GetInfoHandler()
            AddSomethingHandler(journal: journal)
        }
        let info = try await dispatcher.dispatch(GetInfo(subject: "Programming"))
        try await dispatcher.dispatch(AddSomething())
        #expect(info == Info(text: "About Programming"))
        #expect(journal.entries == ["something"])
    }

    @Test
    func `the error for a query without a handler contains its module`() async throws {
        let dispatcher = try StandardDispatcher { AddSomethingHandler() }
        await #expect(throws: DispatchError.handlerNotFound(message: "DuetTests.GetInfo")) {
            try await dispatcher.dispatch(GetInfo(subject: ""))
        }
    }

    @Test
    func `the error for a command without a handler contains its module`() async throws {
        let dispatcher = try StandardDispatcher { GetInfoHandler() }
        await #expect(throws: DispatchError.handlerNotFound(message: "DuetTests.AddSomething")) {
            try await dispatcher.dispatch(AddSomething())
        }
    }

    @Test
    func `an empty dispatcher finds no handler`() async throws {
        let dispatcher = try StandardDispatcher {}
        await #expect(throws: DispatchError.handlerNotFound(message: "DuetTests.AddSomething")) {
            try await dispatcher.dispatch(AddSomething())
        }
    }

    @Test
    func `two handlers for one query are rejected by name`() {
        let expected = DispatchError.duplicateHandler(
            message: "DuetTests.GetInfo",
            handlers: ["DuetTests.GetInfoHandler", "DuetTests.OtherHandler"]
        )
        #expect(throws: expected) {
            try StandardDispatcher {
                GetInfoHandler()
                AddSomethingHandler()
                OtherHandler()
            }
        }
    }

    @Test
    func `the same handler twice is rejected`() {
        let expected = DispatchError.duplicateHandler(
            message: "DuetTests.AddSomething",
            handlers: ["DuetTests.AddSomethingHandler", "DuetTests.AddSomethingHandler"]
        )
        #expect(throws: expected) {
            try StandardDispatcher {
                AddSomethingHandler()
                AddSomethingHandler()
            }
        }
    }

    @Test
    func `messages of the same name in two modules do not collide`() async throws {
        let dispatcher = try StandardDispatcher {
            GetInfoHandler()
            OtherModule.GetInfoHandler()
        }
        #expect(try await dispatcher.dispatch(GetInfo(subject: "x")) == Info(text: "About x"))
        #expect(try await dispatcher.dispatch(OtherModule.GetInfo()) == "other module")
    }

    @Test
    func `messages of the same name in two types do not collide`() async throws {
        let dispatcher = try StandardDispatcher {
            First.LoadHandler()
            Second.LoadHandler()
        }
        #expect(try await dispatcher.dispatch(First.Load()) == 1)
        #expect(try await dispatcher.dispatch(Second.Load()) == "second")
    }

    @Test
    func `each of many handlers is found`() async throws {
        var handlers: [HandlerRegistration] = []
        Digits<Never>.register(depth: 8, in: &handlers)
        #expect(handlers.count == 256)
        let dispatcher = try StandardDispatcher { handlers }
        var answers: Set<String> = []
        try await Digits<Never>.ask(dispatcher, depth: 8, answers: &answers)
        #expect(answers.count == 256)
        await #expect(throws: DispatchError.self) { try await dispatcher.dispatch(Digits<Int>()) }
    }
}

private struct OtherHandler: QueryHandler {
    func handle(_ query: GetInfo) async throws -> Info { Info(text: "") }
}

private enum First {
    struct Load: Query { typealias Value = Int }
    struct LoadHandler: QueryHandler {
        func handle(_ query: Load) async throws -> Int { 1 }
    }
}

private enum Second {
    struct Load: Query { typealias Value = String }
    struct LoadHandler: QueryHandler {
        func handle(_ query: Load) async throws -> String { "second" }
    }
}

private enum Zero<Rest> {}
private enum One<Rest> {}

/// One message type for each sequence of binary digits, which provides any number of types.
private struct Digits<Row>: Query {
    typealias Value = String

    static func register(depth: Int, in handlers: inout [HandlerRegistration]) {
        guard depth > 0 else { return handlers.append(HandlerRegistration(DigitsHandler<Row>())) }
        Digits<Zero<Row>>.register(depth: depth - 1, in: &handlers)
        Digits<One<Row>>.register(depth: depth - 1, in: &handlers)
    }

    static func ask(_ dispatcher: some QueryDispatcher, depth: Int, answers: inout Set<String>) async throws {
        if depth > 0 {
            try await Digits<Zero<Row>>.ask(dispatcher, depth: depth - 1, answers: &answers)
            try await Digits<One<Row>>.ask(dispatcher, depth: depth - 1, answers: &answers)
        } else {
            let answer = try await dispatcher.dispatch(Self())
            #expect(answer == messageName)
            answers.insert(answer)
        }
    }
}

private struct DigitsHandler<Row>: QueryHandler {
    func handle(_ query: Digits<Row>) async throws -> String { Digits<Row>.messageName }
}
