//! A dispatcher that the compiler checks: a message that nobody handles does not compile.

import Duet
import DuetMacros

// snippet.hide
struct GetInfo: Query {
    typealias Value = String
    var subject: String
}

struct AddSomething: Command {}

struct GetInfoHandler: QueryHandler {
    func handle(_ query: GetInfo) async throws -> String { "\(query.subject) is fun." }
}

struct AddSomethingHandler: CommandHandler {
    func handle(_ command: AddSomething) async throws { print("Something was added.") }
}

// snippet.show
@Dispatcher
struct AppDispatcher {
    let getInfo: GetInfoHandler
    let addSomething: AddSomethingHandler
}

let app = AppDispatcher(getInfo: GetInfoHandler(), addSomething: AddSomethingHandler())
try await app.dispatch(AddSomething())
let info = try await app.dispatch(GetInfo(subject: "Programming"))

// Where the message is not known until run time, the same handlers are a dispatcher like any other.
let dispatcher: any Dispatcher = try app.dispatcher.with(.validation)
try await dispatcher.dispatch(AddSomething())
// snippet.hide
precondition(info == "Programming is fun.")
