//! A dispatcher of handlers that need nothing from a container: the core alone, without dependency or macro.

import Duet

struct Info {
    var text: String
}

struct GetInfo: Query {
    typealias Value = Info
    var subject: String
}

struct AddSomething: Command {}

struct GetInfoHandler: QueryHandler {
    func handle(_ query: GetInfo) async throws -> Info {
        Info(text: "\(query.subject) is fun.")
    }
}

struct AddSomethingHandler: CommandHandler {
    func handle(_ command: AddSomething) async throws {
        print("Something was added.")
    }
}

let dispatcher = try StandardDispatcher {
    GetInfoHandler()
    AddSomethingHandler()
}
let info = try await dispatcher.dispatch(GetInfo(subject: "Programming"))
try await dispatcher.dispatch(AddSomething())
// snippet.hide
print(info.text)
precondition(info.text == "Programming is fun.")
