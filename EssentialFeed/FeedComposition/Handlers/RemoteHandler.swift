import Duet
import DuetDependencies
import FeedAPI

/// Handles a message by sending it to the server.
struct RemoteHandler<Message: Duet.Message>: Handler, Resolvable {
    private let server: RemoteDispatcher

    static var dependencies: [Dependency] { [Dependency(RemoteDispatcher.self)] }

    init(from scope: Scope) async throws {
        server = try await scope.resolve()
    }

    func handle(_ message: Message) async throws -> Message.Value {
        try await server.dispatch(message)
    }
}

extension RemoteHandler: CommandHandler where Message: Command {}
extension RemoteHandler: QueryHandler where Message: Query {}
