import Duet
import DuetCaching
import DuetSQLite
import FeedAPI
import FeedFeature
import Foundation
import Logging

/// An outbox in a queue of commands.
///
/// Its comments have no sender: the queue keeps no token, so they are sent with the client's own.
struct QueuedComments: CommentOutbox {
    private static let limit = 1_000

    private let queue: CommandQueue
    private let server: CachingDispatcher

    /// Creates an outbox, which begins to send the comments of an earlier launch.
    init(_ queue: CommandQueue, server: RemoteDispatcher) throws {
        self.queue = queue
        // Nothing is cached here; the client's own cache follows the server.
        self.server = try server.caching(in: .memory(limit: .entries(1)), queue: queue) {
            Enqueue(PostImageComment.self, version: 1, inOrderOf: \.imageID)
        }
    }

    var comments: [WaitingComment] {
        get async {
            await queue.waitUntilLoaded()
            return queue.commands.compactMap(WaitingComment.init)
        }
    }

    /// Keeps a comment.
    ///
    /// - Throws: `RemoteFailure` if a thousand comments wait already: on a page, anyone can write them.
    func keep(_ comment: PostImageComment) async throws {
        try comment.validate()
        await queue.waitUntilLoaded()
        if queue.commands.count >= Self.limit {
            // Refused comments stay for their writers to see, but not in the way of others.
            guard let refused = queue.commands.first(where: \.isFailed) else {
                throw RemoteFailure.connectivity("\(Self.limit) comments wait for the server already.")
            }
            try await queue.drop(refused.id)
        }
        try await server.dispatch(comment)
    }

    func send() async {
        await queue.waitUntilLoaded()
        queue.sendNow()
        for await commands in queue.states where commands.areSettled { return }
    }

    func retry(_ id: ImageComment.ID) async throws {
        for command in queue.commands where WaitingComment(command)?.id == id { try await queue.retry(command.id) }
    }

    func drop(_ id: ImageComment.ID) async throws {
        for command in queue.commands where WaitingComment(command)?.id == id { try await queue.drop(command.id) }
    }
}

extension ClientOptions {
    /// Creates the queue of the outbox.
    ///
    /// - Throws: `SQLiteStoreError` if the outbox is required and cannot be opened.
    func makeQueue(
        now: CurrentDate,
        newID: NewID,
        clock: any Clock<Duration>,
        logger: Logger,
        onWarning: @escaping FeedClient.WarningHandler
    ) async throws -> CommandQueue {
        CommandQueue(
            in: try await openOutbox(logger, onWarning: onWarning),
            onStoreError: { logger.error("\($0)") },
            now: now.callAsFunction,
            clock: clock,
            makeID: newID.callAsFunction
        )
    }

    private func openOutbox(
        _ logger: Logger,
        onWarning: @escaping FeedClient.WarningHandler
    ) async throws -> any CommandStore {
        guard let outbox, isUsed(outbox) else { return InMemoryCommandStore() }
        do {
            return try await SQLiteCommandStore(path: outbox.path(percentEncoded: false), startsOver: !onlyReads) {
                loss in
                logger.error("\(loss)")
                onWarning("Comments that waited for the server are lost. \(loss)")
            }
        } catch let error as SQLiteStoreError where !isOutboxRequired {
            onWarning("\(error) Until then, comments that wait for the server end with the program.")
            return InMemoryCommandStore()
        }
    }
}

extension [QueuedCommand] {
    /// Whether nothing is sent until something changes: of each key, the first command waits for another attempt.
    fileprivate var areSettled: Bool {
        var keys: Set<String> = []
        return filter { !$0.isFailed && keys.insert($0.key).inserted }.allSatisfy { command in
            if case .waiting(_, let reason) = command.state { reason != nil } else { false }
        }
    }
}

extension WaitingComment {
    init?(_ command: QueuedCommand) {
        guard let comment = try? JSONDecoder().decode(PostImageComment.self, from: command.content) else { return nil }
        let state: State =
            switch command.state {
            case .waiting(_, let reason): .waiting(reason: reason)
            case .failed(let reason): .failed(reason: reason)
            default: .sending
            }
        self.init(comment, date: command.date, state: state)
    }
}
