import Duet
import DuetCluster
import DuetClusterEngine
import DuetContext
import DuetTesting
import TestSupport
import Testing

/// Handlers that refuse the caller of a message themselves, such as one for the owner of a thing.
@Suite(.timeLimit(.minutes(5))) struct HandlerRefusalTests {
    private let cluster = InProcessCluster()
    private let options = ClusterOptions(
        attempts: 2,
        handlingDelays: RetryPolicy(backoff: .constant(.zero), jitter: false)
    )

    private static let messages = MessageAPI.open {
        RemoveThing.self
        LoadThing.self
    }

    /// Runs a worker whose handlers throw an error, while `body` runs.
    private func withWorker(
        isReceived: Bool = false,
        _ body: (ClusterDispatcher) async throws -> Void
    ) async throws {
        let handlers = try StandardDispatcher {
            RefusingHandler(isReceived: isReceived)
            RefusingQueryHandler(isReceived: isReceived)
        }
        let worker = try ClusterWorker(Self.messages, handlers, on: cluster.node(), options: options)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await worker.run() }
            try await body(try ClusterDispatcher(Self.messages, on: cluster, options: options))
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    @Test func `the sender learns that it may not do this, and the command is neither repeated nor a dead letter`()
        async throws
    {
        try await withWorker { remote in
            await #expect(throws: AuthorizationError.forbidden) { try await remote.dispatch(RemoveThing()) }
            await #expect(throws: AuthorizationError.forbidden) { try await remote.dispatch(LoadThing()) }
        }
        #expect(try await cluster.commands.deadLetters.list(limit: 10) == [])
    }

    /// The credentials of the node are not those of the sender.
    @Test func `an error that another server has sent is not the sender's`() async throws {
        try await withWorker(isReceived: true) { remote in
            await #expect(throws: ClusterError.self) { try await remote.dispatch(RemoveThing()) }
            await #expect(throws: ClusterError.self) { try await remote.dispatch(LoadThing()) }
        }
        let letters = try await cluster.commands.deadLetters.list(limit: 10)
        #expect(letters.map(\.command.message) == [RemoveThing.messageName])
    }
}

private struct RemoveThing: Command, Codable {}

private struct LoadThing: Query, Codable, Hashable {
    typealias Value = String
}

private struct RefusingHandler: CommandHandler {
    let isReceived: Bool

    func handle(_ command: RemoveThing) async throws {
        if isReceived { ReceivedErrors.current?.insert(AuthorizationError.forbidden) }
        throw AuthorizationError.forbidden
    }
}

private struct RefusingQueryHandler: QueryHandler {
    let isReceived: Bool

    func handle(_ query: LoadThing) async throws -> String {
        if isReceived { ReceivedErrors.current?.insert(AuthorizationError.forbidden) }
        throw AuthorizationError.forbidden
    }
}
