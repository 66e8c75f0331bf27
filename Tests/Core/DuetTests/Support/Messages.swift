import Duet

struct Info: Equatable {
    let text: String
}

struct GetInfo: Query {
    typealias Value = Info
    var subject: String
}

struct AddSomething: Command {
    var text = "something"
}

struct GetInfoHandler: QueryHandler {
    func handle(_ query: GetInfo) async throws -> Info { Info(text: "About \(query.subject)") }
}

struct AddSomethingHandler: CommandHandler {
    var journal = Journal()

    func handle(_ command: AddSomething) async throws { journal.write(command.text) }
}

/// An error of a handler.
struct Refusal: Error, Equatable {
    var reason = "refused"
}

struct FailingQuery: Query {
    typealias Value = Int
    var reason = "refused"
}

struct FailingCommand: Command {
    var reason = "refused"
}

struct FailingQueryHandler: QueryHandler {
    func handle(_ query: FailingQuery) async throws -> Int { throw Refusal(reason: query.reason) }
}

struct FailingCommandHandler: CommandHandler {
    func handle(_ command: FailingCommand) async throws { throw Refusal(reason: command.reason) }
}
