import DuetDependencies

protocol Api: Sendable {
    var name: String { get }
}

struct LiveApi: Api {
    var name = "live"
}

/// Something whose instances can be told apart.
final class Session: Sendable {}

/// Needs a session, and says so itself.
final class Client: Resolvable, Sendable {
    let session: Session

    init(session: Session) {
        self.session = session
    }

    static var dependencies: [Dependency] { [Dependency(Session.self)] }

    init(from scope: Scope) async throws {
        session = try await scope.resolve()
    }
}

/// Not `Sendable`: belongs to who resolved it.
final class Counter {
    var count = 0
}

struct Broken: Error, Equatable {}

/// A protocol that several types can be registered for.
protocol Plugin: Sendable {
    var id: Int { get }
}

struct NumberedPlugin: Plugin {
    let id: Int
}

extension DependencyName {
    static let replica: DependencyName = "replica"
}
