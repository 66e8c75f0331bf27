//! Optimistic updates: a screen shows a comment while it is being sent, and withdraws it if the server refuses it.

import Duet
import DuetCaching
import Foundation

struct Comment: Equatable, Identifiable, Sendable {
    let id: Int
    let text: String
}

struct LoadComments: Query, Hashable {
    typealias Value = [Comment]

    let imageID: Int
}

/// The application determines the ID, so that the comment has the same one before and after it is sent.
struct PostComment: Command {
    let id: Int
    let imageID: Int
    let text: String
}

actor CommentServer {
    private var comments = [Comment(id: 1, text: "Lovely light.")]

    func list() -> [Comment] { comments }

    func post(_ comment: Comment) { comments.append(comment) }
}

struct CommentRefused: Error, CustomStringConvertible {
    let description = "The server has refused the comment."
}

struct LoadCommentsHandler: QueryHandler {
    let server: CommentServer

    func handle(_ query: LoadComments) async throws -> [Comment] { await server.list() }
}

/// Receives from the program whether the server accepts the next comment, in place of a slow network.
struct PostCommentHandler: CommandHandler {
    let server: CommentServer
    let responses: AsyncStream<Bool>

    func handle(_ command: PostComment) async throws {
        for await isAccepted in responses {
            guard isAccepted else { throw CommentRefused() }
            return await server.post(Comment(id: command.id, text: command.text))
        }
    }
}

let server = CommentServer()
let (responses, network) = AsyncStream.makeStream(of: Bool.self)
let remote = try StandardDispatcher {
    LoadCommentsHandler(server: server)
    PostCommentHandler(server: server, responses: responses)
}

// snippet.rules
let dispatcher = try remote.caching(in: .memory(limit: .entries(1_000))) {
    Cache(LoadComments.self, .maxAge(.minutes(5)))
    Invalidate(LoadComments.self, after: PostComment.self) { query, command in query.imageID == command.imageID }
    OptimisticUpdate(LoadComments.self, by: PostComment.self) { comments, query, command in
        guard query.imageID == command.imageID, !comments.contains(where: { $0.id == command.id }) else { return }
        comments.append(Comment(id: command.id, text: command.text))
    }
}
// snippet.end

// snippet.keys
/// A task, whose ID is nil until the server has chosen it.
struct ToDo: Equatable, Sendable {
    var id: Int?
    let key: UUID
    let title: String
}

struct LoadToDos: Query, Hashable {
    typealias Value = [ToDo]
}

struct AddToDo: Command {
    var key = UUID()
    let title: String
}

let showingToDo = OptimisticUpdate(LoadToDos.self, by: AddToDo.self) { todos, _, command in
    guard !todos.contains(where: { $0.key == command.key }) else { return }
    todos.append(ToDo(id: nil, key: command.key, title: command.title))
}
// snippet.end
print(showingToDo)

func text(of state: QueryState<[Comment]>) -> String {
    let comments = state.value ?? []
    return comments.map(\.text).joined(separator: " ") + (state.isOptimistic ? " (sending)" : "")
}

/// Returns the next text of the screen that meets a condition.
func next(
    _ states: inout QueryStates<[Comment]>.AsyncIterator,
    where isWanted: (QueryState<[Comment]>) -> Bool
) async throws -> String {
    while let state = await states.next() {
        if isWanted(state) { return text(of: state) }
    }
    throw CancellationError()
}

/// Sends two comments while the screen is shown.
func run() async throws {
    var states = dispatcher.observe(LoadComments(imageID: 7)).makeAsyncIterator()
    print("The screen appears:", try await next(&states) { $0.value != nil })

    let question = Task { try await dispatcher.dispatch(PostComment(id: 2, imageID: 7, text: "Where is this?")) }
    print("A comment is sent:", try await next(&states, where: \.isOptimistic))
    network.yield(true)
    try await question.value
    let accepted = try await next(&states) { !$0.isOptimistic }
    print("It is accepted:", accepted)
    precondition(accepted == "Lovely light. Where is this?")

    let advertisement = Task { try await dispatcher.dispatch(PostComment(id: 3, imageID: 7, text: "Buy now!")) }
    print("Another one is sent:", try await next(&states, where: \.isOptimistic))
    network.yield(false)
    do {
        try await advertisement.value
        preconditionFailure("The comment must be refused.")
    } catch is CommentRefused {}
    let refused = try await next(&states) { !$0.isOptimistic }
    print("It is refused:", refused)
    precondition(refused == accepted)
}

try await run()
