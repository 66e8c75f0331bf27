import Duet
import DuetDependencies

struct GetName: Query {
    typealias Value = String
}

struct Rename: Command {
    var name = ""
}

/// Returns the name of an API.
struct GetNameHandler: QueryHandler, Resolvable {
    let api: any Api

    static var dependencies: [ResolvedDependency] { [ResolvedDependency((any Api).self)] }

    init(api: any Api) {
        self.api = api
    }

    init(from scope: Scope) async throws {
        api = try await scope.resolve()
    }

    func handle(_ query: GetName) async throws -> String { api.name }
}

/// Records the received values.
struct RenameHandler: CommandHandler, Resolvable {
    let journal: Journal

    static var dependencies: [ResolvedDependency] { [ResolvedDependency(Journal.self)] }

    init(from scope: Scope) async throws {
        journal = try await scope.resolve()
    }

    func handle(_ command: Rename) async throws {
        journal.note("rename \(command.name)")
    }
}
