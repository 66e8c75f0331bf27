import Duet
import Testing

@Suite
struct ListBuilderTests {
    @Test(arguments: [true, false])
    func `an if adds its handlers when its condition is true`(holds: Bool) async throws {
        let dispatcher = try StandardDispatcher {
            GetInfoHandler()
            if holds {
                AddSomethingHandler()
            }
        }
        #expect(try await dispatcher.dispatch(GetInfo(subject: "x")) == Info(text: "About x"))
        #expect(await handles(AddSomething(), dispatcher) == holds)
    }

    @Test(arguments: [true, false])
    func `an else adds its handlers when the condition is false`(holds: Bool) async throws {
        let dispatcher = try StandardDispatcher {
            if holds {
                GetInfoHandler()
            } else {
                AddSomethingHandler()
            }
        }
        #expect(await handles(AddSomething(), dispatcher) == !holds)
    }

    @Test(arguments: [0, 1, 2])
    func `a switch adds the handlers of its case`(choice: Int) async throws {
        let dispatcher = try StandardDispatcher {
            switch choice {
            case 0: AddSomethingHandler()
            case 1: GetInfoHandler()
            default: FailingQueryHandler()
            }
        }
        #expect(await handles(AddSomething(), dispatcher) == (choice == 0))
    }

    @Test
    func `a loop adds the handlers of each iteration`() async throws {
        let lists: [[HandlerRegistration]] = [
            [HandlerRegistration(GetInfoHandler())],
            [],
            [HandlerRegistration(AddSomethingHandler())],
        ]
        let dispatcher = try StandardDispatcher {
            for list in lists {
                list
            }
        }
        #expect(await handles(AddSomething(), dispatcher))
        #expect(try await dispatcher.dispatch(GetInfo(subject: "x")) == Info(text: "About x"))
    }

    @Test
    func `an optional adds its handlers when it is not nil`() async throws {
        let journal: Journal? = Journal()
        let none: Journal? = nil
        let dispatcher = try StandardDispatcher {
            if let journal {
                AddSomethingHandler(journal: journal)
            }
            if let none {
                AddSomethingHandler(journal: none)
            }
        }
        try await dispatcher.dispatch(AddSomething(text: "a"))
        #expect(journal?.entries == ["a"])
    }

    @Test
    func `a handler may have a protocol type`() async throws {
        let handler: any QueryHandler<GetInfo> & Sendable = GetInfoHandler()
        let dispatcher = try StandardDispatcher { handler }
        #expect(try await dispatcher.dispatch(GetInfo(subject: "x")) == Info(text: "About x"))
    }

    @Test
    func `an error of the block reaches the caller`() {
        func handler() throws -> GetInfoHandler { throw Refusal() }
        #expect(throws: Refusal()) {
            try StandardDispatcher { try handler() }
        }
    }

    private func handles(_ command: some Command, _ dispatcher: some CommandDispatcher) async -> Bool {
        do {
            try await dispatcher.dispatch(command)
            return true
        } catch {
            return false
        }
    }
}
