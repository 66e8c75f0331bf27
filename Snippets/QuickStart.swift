//! A query, a command and their handlers, which get what they need from a container, checked before the first message.

import Duet
import DuetDependencies
import DuetMacros

// snippet.hide
struct Info {
    var text: String
}

protocol Api: Sendable {
    func info(about subject: String) async throws -> String
    func add() async throws
}

struct LiveApi: Api {
    func info(about subject: String) async throws -> String { "\(subject) is fun." }
    func add() async throws { print("Something was added.") }
}

protocol Repository: Sendable {
    func note(_ line: String) async throws
}

// snippet.show
struct GetInfo: Query {
    typealias Value = Info
    var subject: String
}

struct AddSomething: Command {}

@Resolvable
struct GetInfoHandler: QueryHandler {
    let api: any Api
    let analytics: Analytics

    func handle(_ query: GetInfo) async throws -> Info {
        analytics.note(query.subject)
        return Info(text: try await api.info(about: query.subject))
    }
}

@Resolvable
struct AddSomethingHandler: CommandHandler {
    let work: UnitOfWork
    let repository: any Repository

    func handle(_ command: AddSomething) async throws {
        try await repository.note("something")
        try await work.commit()
    }
}

// snippet.hide
@Resolvable
struct Analytics {
    let api: any Api

    func note(_ subject: String) { print("Somebody asks about \(subject).") }
}

@Resolvable
struct SQLRepository: Repository {
    let work: UnitOfWork

    func note(_ line: String) async throws { print("Noted: \(line).") }
}

/// Ends with the dispatch that it was made for.
final class UnitOfWork: Disposable {
    private let api: any Api

    init(api: any Api) { self.api = api }

    func commit() async throws { try await api.add() }

    func dispose() async { print("The unit of work has ended.") }
}

// snippet.show
let builder = ContainerBuilder()
builder.singleton((any Api).self) { LiveApi() }
builder.scoped { (api: any Api) in UnitOfWork(api: api) }
builder.transient(Analytics.self)
builder.transient((any Repository).self, as: SQLRepository.self) { $0 }
builder.handlers {
    AddSomethingHandler.self
    GetInfoHandler.self
}
let container = try builder.build()

let dispatcher = try await container.dispatcher
let info = try await dispatcher.dispatch(GetInfo(subject: "Programming"))
try await dispatcher.dispatch(AddSomething())
// snippet.hide
print(info.text)
precondition(info.text == "Programming is fun.")
