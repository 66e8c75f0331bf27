import Duet
import OtherModule
import Testing

@Suite
struct MessageNameTests {
    @Test
    func `a message is named by its module and type`() {
        #expect(GetInfo.messageName == "DuetTests.GetInfo")
        #expect(AddSomething.messageName == "DuetTests.AddSomething")
        #expect(OtherModule.GetInfo.messageName == "OtherModule.GetInfo")
    }

    @Test
    func `a nested message is named by its type path`() {
        #expect(Outer.Inner.messageName == "DuetTests.Outer.Inner")
    }

    @Test
    func `a declared name replaces the default name`() async throws {
        #expect(Renamed.messageName == "orders.place")
        let dispatcher = try StandardDispatcher {}
        await #expect(throws: DispatchError.handlerNotFound(message: "orders.place")) {
            try await dispatcher.dispatch(Renamed())
        }
    }

    @Test
    func `a private message has no address in its name`() {
        #expect(Hidden.messageName == "DuetTests.Hidden")
    }

    @Test
    func `a function-local message has no address in its name`() {
        #expect(nameOfLocalMessage() == "DuetTests.Local")
    }

    @Test
    func `the name of a generic message includes its arguments`() {
        #expect(Generic<Int>.messageName == "DuetTests.Generic<Swift.Int>")
        #expect(Generic<Hidden>.messageName == "DuetTests.Generic<DuetTests.Hidden>")
        #expect(Generic<Generic<Hidden>>.messageName == "DuetTests.Generic<DuetTests.Generic<DuetTests.Hidden>>")
    }
}

private struct Hidden: Command {}

private struct Generic<Element>: Query { typealias Value = Element }

private func nameOfLocalMessage() -> String {
    struct Local: Query { typealias Value = Int }
    return Local.messageName
}

enum Outer {
    struct Inner: Command {}
}

private struct Renamed: Command {
    static let messageName = "orders.place"
}
