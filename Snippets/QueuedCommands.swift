//! Commands that are dispatched without a connection, kept in a file, and sent when the connection is back.

// snippet.messages
import Duet
import DuetCaching
// snippet.hide
import DuetContext
// snippet.show
import DuetSQLite
import Foundation

struct LoadComments: Query, Hashable {
    typealias Value = [String]
    let imageID: Int
}

struct PostComment: Command, Codable {
    let imageID: Int
    let text: String
}
// snippet.end

struct RateImage: Command, Codable {
    static let messageName = "RateImage"
    let imageID: Int
    let stars: Int
}

// snippet.errors
struct NoConnection: TemporaryError, CustomStringConvertible {
    let isTemporary = true
    let description = "The server cannot be reached."
}

struct CommentRejected: Error, CustomStringConvertible {
    let description = "The comment is empty."
}
// snippet.end

actor CommentServer {
    private var isReachable = true
    private var comments: [Int: [String]] = [:]

    func setReachable(_ isReachable: Bool) { self.isReachable = isReachable }

    func list(_ imageID: Int) throws -> [String] {
        guard isReachable else { throw NoConnection() }
        return comments[imageID] ?? []
    }

    func post(_ text: String, _ imageID: Int) throws {
        guard isReachable else { throw NoConnection() }
        guard !text.isEmpty else { throw CommentRejected() }
        comments[imageID, default: []].append(text)
    }
}

struct LoadCommentsHandler: QueryHandler {
    let server: CommentServer
    func handle(_ query: LoadComments) async throws -> [String] { try await server.list(query.imageID) }
}

struct PostCommentHandler: CommandHandler {
    let server: CommentServer
    func handle(_ command: PostComment) async throws { try await server.post(command.text, command.imageID) }
}

struct RateImageHandler: CommandHandler {
    func handle(_ command: RateImage) async throws { print("\(command.stars) stars for image \(command.imageID)") }
}

let comments = CommentServer()
let server = try StandardDispatcher {
    LoadCommentsHandler(server: comments)
    PostCommentHandler(server: comments)
    RateImageHandler()
}
let folder = FileManager.default.temporaryDirectory.appending(component: UUID().uuidString)
defer { try? FileManager.default.removeItem(at: folder) }

// snippet.store
let path = folder.appending(component: "commands.sqlite").path
let store = try await SQLiteCommandStore(path: path, onLoss: { print($0) })
// snippet.end

// snippet.queue
let queue = CommandQueue(in: store)
let queueing = try server.queueing(in: queue) {
    Enqueue(PostComment.self, version: 1, inOrderOf: \.imageID)
}
let dispatcher = try queueing.caching(in: .memory(limit: .entries(1_000))) {
    Cache(LoadComments.self, .maxAge(.minutes(5)))
    Invalidate(LoadComments.self, after: PostComment.self) { $0.imageID == $1.imageID }
}
// snippet.end
print("Comments:", try await dispatcher.dispatch(LoadComments(imageID: 7)))

// snippet.offline
await comments.setReachable(false)
try await dispatcher.dispatch(PostComment(imageID: 7, text: "Lovely"))

for await commands in queue.states {
    guard let command = commands.first, case .waiting(_, let reason?) = command.state else { continue }
    print("Attempt \(command.attempts): \(reason)")
    break
}
// snippet.end

// snippet.online
await comments.setReachable(true)
queue.sendNow()
await queue.waitUntilSettled()
print("Comments:", try await dispatcher.dispatch(LoadComments(imageID: 7)))
// snippet.end

// snippet.find
let key = UUID().uuidString
try await withIdempotencyKey(key) { try await dispatcher.dispatch(PostComment(imageID: 7, text: "Nice")) }

let entry = queue.commands.first { $0.idempotencyKey == key }  // Nil when it was sent.
// snippet.end
if entry != nil { await queue.waitUntilSettled() }

// snippet.failed
try await dispatcher.dispatch(PostComment(imageID: 7, text: ""))

for await commands in queue.states {
    guard let command = commands.first, case .failed(let reason) = command.state else { continue }
    print("Failed:", reason, command.error is CommentRejected)
    try await queue.drop(command.id)  // Or try await queue.retry(command.id).
    break
}
// snippet.end

// snippet.once
await queue.waitUntilLoaded()
for await state in dispatcher.observe(LoadComments(imageID: 7)) where !state.isLoading {
    print("Comments:", state.value ?? [])
    break
}
// snippet.end

// snippet.screen
let outbox = CommandQueueModel(queue)
let appearance = Task { await outbox.run() }  // In SwiftUI: .task { await outbox.run() }
// snippet.end
appearance.cancel()

try await queue.removeAll()

// snippet.options
let edits = Enqueue(PostComment.self, version: 1, inOrderOf: \.imageID)
    .waitingForFailedCommands()
    .expiring(after: .days(7))
// snippet.end
print(edits)

// snippet.upgrade
struct RateImageVersion1: Codable {
    let imageID: Int
    let isLiked: Bool
}

let rating = Enqueue(
    RateImage.self,
    version: 2,
    inOrderOf: \.imageID,
    upgrading: { bytes, _ in
        let old = try JSONDecoder().decode(RateImageVersion1.self, from: bytes)
        return RateImage(imageID: old.imageID, stars: old.isLiked ? 5 : 1)
    }
)
// snippet.end

// A command of version 1, from an earlier launch.
let ratings = InMemoryCommandStore()
let old = StoredCommand(
    id: UUID(),
    name: RateImage.messageName,
    version: 1,
    key: "7",
    date: Date(),
    idempotencyKey: "1",
    bytes: Data(#"{"imageID":7,"isLiked":true}"#.utf8)
)
try await ratings.insert(old)
let ratingQueue = CommandQueue(in: ratings)
let ratingDispatcher = try server.queueing(in: ratingQueue) { rating }
try await ratingDispatcher.dispatch(RateImage(imageID: 7, stars: 3))
await ratingQueue.waitUntilSettled()
