import Duet
import DuetCaching
import DuetSQLite
import FeedAPI
import FeedFeature
import Foundation
import Logging

/// An outbox in a queue of commands.
///
/// The queue keeps no token, so comments are sent with the client's own, and those of a page's readers without any.
/// Several programs can use the file of an outbox, and one of them sends.
struct QueuedComments: CommentOutbox {
    private static let limit = 1_000

    private let queue: CommandQueue
    private let server: CachingDispatcher
    private let clock: any Clock<Duration>

    /// Creates an outbox, which begins to send the comments of an earlier launch.
    ///
    /// Only comments that are kept here may wait. All others fail without a connection, because the client's own
    /// dispatcher has no queue.
    ///
    /// - Parameter cache: The client's cache, whose rules apply when a comment was sent.
    init(_ queue: CommandQueue, sender: CommentSender, cache: QueryCache, clock: any Clock<Duration>) throws {
        self.queue = queue
        self.clock = clock
        let queueing = try sender.queueing(in: queue) {
            Enqueue(PostImageComment.self, version: 1, inOrderOf: \.imageID)
        }
        server = queueing.caching(with: cache)
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
        // An attempt that began before the server could be reached would delay the next one.
        await queue.waitUntilSettled()
        let attempts = Dictionary(uniqueKeysWithValues: queue.commands.map { ($0.id, $0.attempts) })
        queue.sendNow()
        await withTaskGroup { group in
            group.addTask { for await commands in queue.states where !commands.areDue(since: attempts) { return } }
            // Another program that sends may be suspended.
            group.addTask { try? await clock.sleep(for: .seconds(10)) }
            await group.next()
            group.cancelAll()
        }
        await queue.waitUntilSettled()
    }

    func retry(_ id: ImageComment.ID) async throws {
        for command in queue.commands where WaitingComment(command)?.id == id { try await queue.retry(command.id) }
    }

    func drop(_ id: ImageComment.ID) async throws {
        for command in queue.commands where WaitingComment(command)?.id == id { try await queue.drop(command.id) }
    }
}

/// Sends a comment that has waited, with the rights of its writer.
struct CommentSender: Dispatcher {
    /// Sends with the token of the program.
    let server: RemoteDispatcher
    /// Sends for the readers of a page, whichever program sends.
    let anonymous: RemoteDispatcher
    /// Whether nobody can sign the program in.
    let servesReaders: Bool

    func dispatch<M: Message>(_ message: M) async throws -> M.Value {
        let isReaders = Task.isServingRequest
        do {
            return try await (isReaders ? anonymous : server).dispatch(message)
        } catch let error as AuthorizationError where isReaders || servesReaders {
            throw RefusedComment(reason: error)
        }
    }
}

/// The error of a comment that cannot wait for a sign-in, because nobody can sign in for its writer.
private struct RefusedComment: Error, CustomStringConvertible {
    let reason: AuthorizationError

    var description: String { "The server does not accept this comment without a token. \(reason)" }
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
            in: try await openOutbox(clock, logger, onWarning: onWarning),
            onStoreError: { logger.error("\($0)") },
            now: now.callAsFunction,
            clock: clock,
            makeID: newID.callAsFunction,
            isSender: !onlyReads
        )
    }

    private func openOutbox(
        _ clock: any Clock<Duration>,
        _ logger: Logger,
        onWarning: @escaping FeedClient.WarningHandler
    ) async throws -> any CommandStore {
        guard let outbox, isUsed(outbox) else { return InMemoryCommandStore() }
        do {
            let path = outbox.path(percentEncoded: false)
            return try await SQLiteCommandStore(path: path, startsOver: !onlyReads, clock: clock) { loss in
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
    /// Whether another program sends the commands and has noted no attempt since; after one that failed, all wait.
    fileprivate func areDue(since attempts: [UUID: Int]) -> Bool {
        let others = filter { $0.state == .handedOver }
        return !others.isEmpty && others.allSatisfy { $0.attempts <= attempts[$0.id, default: 0] }
    }
}

extension WaitingComment {
    init?(_ command: QueuedCommand) {
        guard let comment = try? JSONDecoder().decode(PostImageComment.self, from: command.content) else { return nil }
        let state: State =
            switch command.state {
            case .waiting(_, let reason): .waiting(reason: reason)
            case .failed(let reason): .failed(reason: reason)
            case .blocked, .handedOver: .waiting(reason: nil)
            default: .sending
            }
        self.init(comment, date: command.date, state: state)
    }
}
