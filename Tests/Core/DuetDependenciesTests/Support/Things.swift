import DuetDependencies

protocol Api: Sendable {
    var name: String { get }
}

struct LiveApi: Api {
    var name = "live"
}

/// A type whose instances are distinguishable.
final class Session: Sendable {}

/// A type that declares its dependency on a session itself.
final class Client: Resolvable, Sendable {
    let session: Session

    init(session: Session) {
        self.session = session
    }

    static var dependencies: [ResolvedDependency] { [ResolvedDependency(Session.self)] }

    init(from scope: Scope) async throws {
        session = try await scope.resolve()
    }
}

/// Not `Sendable`: an instance belongs to the caller that resolved it.
final class Counter {
    var count = 0
}

struct Broken: Error, Equatable {}

/// A protocol with several implementations.
protocol Plugin: Sendable {
    var id: Int { get }
}

struct NumberedPlugin: Plugin {
    let id: Int
}

extension DependencyName {
    static let replica: DependencyName = "replica"
}
