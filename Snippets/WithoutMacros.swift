//! The container without macros: nothing of swift-syntax is built.

import Duet
import DuetDependencies

// snippet.hide
protocol Api: Sendable {
    func info(about subject: String) async throws -> String
}

struct LiveApi: Api {
    func info(about subject: String) async throws -> String { "\(subject) is fun." }
}

struct GetInfo: Query {
    typealias Value = String
    var subject: String
}

// snippet.show
struct GetInfoHandler: QueryHandler, Resolvable {
    let api: any Api

    static var dependencies: [Dependency] { [Dependency((any Api).self)] }

    init(from scope: Scope) async throws {
        api = try await scope.resolve()
    }

    func handle(_ query: GetInfo) async throws -> String {
        try await api.info(about: query.subject)
    }
}

let builder = ContainerBuilder()
builder.singleton((any Api).self) { LiveApi() }
builder.handlers { GetInfoHandler.self }
let dispatcher: any QueryDispatcher = try await builder.build().resolve()
let info = try await dispatcher.dispatch(GetInfo(subject: "Programming"))
// snippet.hide
print(info)
precondition(info == "Programming is fun.")
