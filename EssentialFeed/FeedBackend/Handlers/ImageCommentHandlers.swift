import Duet
import DuetHTTP
import DuetMacros
import FeedFeature
import Foundation
import GRDB

/// Stores a comment with the server's time.
///
/// A repeat changes nothing, and does not count for the sender's quota. The id of another comment is refused.
@Resolvable
struct PostImageCommentHandler: CommandHandler {
    let work: UnitOfWork
    let now: CurrentDate
    let quota: ClientQuota
    let sender: CommentSender

    func handle(_ command: PostImageComment) async throws {
        try checkStorable(command.message, field: "message")
        try checkStorable(command.username, field: "username")
        // Before the transaction, so that a sender without a quota does not keep others waiting.
        if sender.isLimited, try await !work.read({ try $0.contains(comment: command.id) }),
            let pause = sender.use(quota)
        {
            throw TooManyComments(until: pause)
        }
        let createdAt = now()
        work.add { db in
            guard let position = try db.position(of: command.imageID) else {
                throw try db.absence(of: command.imageID)
            }
            try db.insert(command, at: position, createdAt: createdAt)
        }
        try await work.commit(command)
    }
}

/// The sender of a comment, which has a quota.
package struct CommentSender: Sendable {
    private let address: String?

    var isLimited: Bool { address != nil }

    /// - Parameter address: The IP address; nil for a sender without a quota, such as a node of a cluster, whose page
    ///   limits its readers.
    package init(address: String?) {
        self.address = address
    }

    /// Uses the quota of the principal, or else of the address.
    ///
    /// - Returns: The time until the sender may try again; nil if the quota was used.
    func use(_ quota: ClientQuota) -> Duration? {
        guard let address else { return nil }
        return Principal.current.map { quota.use(by: $0) } ?? quota.use(by: address)
    }
}

@Resolvable
struct RemoveImageCommentHandler: CommandHandler {
    let work: UnitOfWork

    func handle(_ command: RemoveImageComment) async throws {
        let caller = Principal.current
        work.add { db in
            guard let position = try db.position(of: command.imageID) else { return }
            try db.checkOwner(of: position, caller)
            try db.remove(comment: command.id, at: position)
        }
        try await work.commit(command)
    }
}

/// Loads a page of comments, in the order of their dates.
@Resolvable
struct LoadImageCommentsHandler: QueryHandler {
    let work: UnitOfWork

    func handle(_ query: LoadImageComments) async throws -> ImageCommentPage {
        try await work.read { db in
            guard let position = try db.position(of: query.imageID) else { throw try db.absence(of: query.imageID) }
            return try db.comments(at: position, answering: query)
        }
    }
}
