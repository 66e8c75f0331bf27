//! A server that sends a value again when it has changed, and a client that observes it.

// snippet.messages
import Duet
import DuetCaching
import DuetHTTP
// snippet.hide
import DuetHummingbird
import DuetTesting
import Hummingbird
import Synchronization

// snippet.show

// GET images/{image}/comments
struct ListComments: HTTPQuery, Hashable {
    typealias Value = [String]
    static let route: QueryRoute<Self> = .get("images/{image}/comments").live()

    let image: Int
}

// POST images/{image}/comments   {"text": …}
struct AddComment: HTTPCommand {
    static let route: CommandRoute<Self> = .post("images/{image}/comments")

    let image: Int
    let text: String
}

let commentsAPI = MessageAPI("comments", authorized: .open) {
    ListComments.self
    AddComment.self
}
// snippet.end

final class Comments: Sendable {
    private let texts = Mutex<[Int: [String]]>([7: ["Nice"]])

    func list(_ image: Int) -> [String] { texts.withLock { $0[image] ?? [] } }

    func add(_ text: String, to image: Int) { texts.withLock { $0[image, default: []].append(text) } }
}

struct ListCommentsHandler: QueryHandler {
    let comments: Comments
    func handle(_ query: ListComments) async throws -> [String] { comments.list(query.image) }
}

struct AddCommentHandler: CommandHandler {
    let comments: Comments
    func handle(_ command: AddComment) async throws { comments.add(command.text, to: command.image) }
}

// snippet.server
func makeRouter(_ handlers: some Dispatcher) throws -> Router<BasicRequestContext> {
    // The cache knows which command changes which query, and reports the changes.
    let dispatcher = try handlers.caching(in: .memory(limit: .entries(1_000))) {
        Cache(ListComments.self, .untilInvalidated)
        Invalidate(ListComments.self, after: AddComment.self) { query, command in query.image == command.image }
    }
    let router = Router()
    let options = MountOptions(live: LiveOptions(streamsPerClient: 10))
    try router.mount(commentsAPI, dispatcher, options: options)
    return router
}
// snippet.end

// snippet.client
func makeRemote(_ client: any HTTPClient) throws -> CachingDispatcher {
    try HTTPDispatcher(commentsAPI, baseURL: BaseURL("http://localhost:8080"), client: client)
        .caching(in: .memory(limit: .entries(100))) { Cache(ListComments.self, .maxAge(.minutes(5))) }
}
// snippet.end

let comments = Comments()
let handlers = try StandardDispatcher {
    ListCommentsHandler(comments: comments)
    AddCommentHandler(comments: comments)
}
let client = RouterHTTPClient(try makeRouter(handlers))
let (ada, grace) = (try makeRemote(client), try makeRemote(client))

// snippet.observe
for try await texts in ada.observe(ListComments(image: 7)).values {
    print("Ada sees \(texts).")
    if texts.contains("Lovely") { break }
    try await grace.dispatch(AddComment(image: 7, text: "Lovely"))
}
// snippet.end
