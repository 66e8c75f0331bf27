import Duet
import DuetDependencies
import FeedAPI

/// Has the server do what a command says.
struct RemoteCommandHandler<C: Command>: CommandHandler, Resolvable {
    private let server: RemoteDispatcher

    static var dependencies: [Dependency] { [Dependency(RemoteDispatcher.self)] }

    init(from scope: Scope) async throws {
        server = try await scope.resolve()
    }

    func handle(_ command: C) async throws {
        try await server.dispatch(command)
    }
}
