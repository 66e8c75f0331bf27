import Duet
import DuetCaching
import DuetCluster
import DuetClusterEngine
import DuetDependencies
import DuetTesting
import FeedFeature
import FeedServing
import FeedTesting
import FeedWeb
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import TestSupport
import Testing

/// The page that shows developers what the program is doing.
@Suite(.timeLimit(.minutes(5))) struct InspectTests {
    private let date = TestDate(Date(timeIntervalSince1970: 1_700_000_000))
    private let clock = ManualClock()

    // MARK: Access

    @Test(arguments: ["/inspect", "/inspect.css", "/inspect.js"])
    func `it is off by default, and with a public address`(path: String) async throws {
        let publicURL = try #require(URL(string: "https://feed.example"))
        try await withPage(inspects: false) { page async throws in #expect(try await page.get(path).status == .notFound)
        }
        try await withPage(publicURL: publicURL) { page async throws in
            #expect(try await page.get(path).status == .notFound)
        }
        try await withPage { page async throws in #expect(try await page.get(path).status == .ok) }
    }

    @Test(arguments: [
        ("Host", "evil.example", 421), ("X-Forwarded-For", "192.0.2.1", 404), ("Forwarded", "for=192.0.2.1", 404),
    ])
    func `requests for others are refused`(field: String, value: String, status: Int) async throws {
        try await withPage { page async throws in
            let headers: HTTPFields = field == "Host" ? [:] : [try #require(.init(field)): value]
            let port = try #require(page.client.port)
            for path in ["/inspect", "/inspect.js"] {
                let answer = try await TestClient.withClient(host: "localhost", port: port) { client in
                    try await client.execute(
                        TestClient.Request(
                            path,
                            method: .get,
                            authority: field == "Host" ? value : "localhost",
                            headers: headers
                        )
                    )
                }
                #expect(answer.status.code == status)
            }
        }
    }

    @Test func `requests that come from no connection are refused`() async throws {
        let container = try container(queue: nil)
        try await FeedWeb(container: container)
            .application(host: "127.0.0.1", port: 0, inspectToken: InspectedPage.token, logger: .silent)
            .test(.router) { client in
                let answer = try await client.execute(uri: "/inspect", method: .get)
                #expect(answer.status == .notFound)
            }
    }

    @Test(arguments: [
        "X-Forwarded-Proto", "X-Forwarded-Anything", "X-Real-IP", "CF-Connecting-IP", "X-Client-IP",
        "True-Client-IP", "Via",
    ])
    func `requests that a server forwards are refused, whatever field it adds`(field: String) async throws {
        try await withPage { page async throws in
            let headers: HTTPFields = [
                try #require(.init(field)): "192.0.2.1", .cookie: "inspect=\(InspectedPage.token)",
            ]
            let answer = try await page.client.execute(uri: "/inspect", method: .get, headers: headers)
            #expect(answer.status == .notFound)
        }
    }

    @Test(arguments: [nil, "inspect=", "inspect=0123456789abcdee", "inspect=0123456789abcdef0", "x=0123456789abcdef"])
    func `the token is needed for the page, its files and its commands`(cookie: String?) async throws {
        try await withPage { page async throws in
            var headers: HTTPFields = [try #require(.init("Sec-Fetch-Site")): "same-origin"]
            headers[.cookie] = cookie
            for path in ["/inspect", "/inspect.js", "/inspect.css", "/inspect?token=wrong"] {
                let answer = try await page.client.execute(uri: path, method: .get, headers: headers)
                #expect(answer.status == .forbidden)
            }
            let drop = "/inspect/commands/\(UUID())/drop"
            let answer = try await page.client.execute(uri: drop, method: .post, headers: headers)
            #expect(answer.status == .forbidden)
        }
    }

    @Test func `the token in the address becomes a cookie that other sites do not send`() async throws {
        try await withPage { page async throws in
            let port = try #require(page.client.port)
            let answer = try await TestClient.withClient(host: "127.0.0.1", port: port) { client in
                let path = "/inspect?token=\(InspectedPage.token)"
                return try await client.execute(TestClient.Request(path, method: .get, authority: "127.0.0.1"))
            }
            #expect(answer.status == .seeOther)
            #expect(answer.headers[.location] == "/inspect")
            #expect(
                answer.headers[.setCookie] == "inspect=\(InspectedPage.token); Path=/; HttpOnly; SameSite=Strict"
            )
        }
    }

    // MARK: Content

    @Test func `the page has no inline scripts or styles, and all of its links lead somewhere`() async throws {
        try await withPage { page async throws in
            let text = try await page.html()
            #expect(text.contains(#"<html lang="en">"#))
            #expect(!text.contains("<style") && !text.contains("style=") && !text.contains(/\son[a-z]+="/))
            #expect(text.matches(of: /<script/).count == 1)
            for link in text.matches(of: /href="#([^"]+)"/) { #expect(text.contains(#"id="\#(link.1)""#)) }
            for link in text.matches(of: /(?:href|src)="(\/[^"]*)"/) where link.1 != "/" {
                let status = try await page.get(String(link.1)).status
                #expect(status == .ok, "\(link.1)")
            }
        }
    }

    @Test func `each message shows its kind and its failure`() async throws {
        try await withPage { page async throws in
            for _ in 1...2 { _ = try await page.dispatcher.dispatch(LoadImageComments(imageID: image(1).id)) }
            _ = try await page.dispatcher.dispatch(LoadNewestImage())
            await #expect(throws: ImageNotFound.self) {
                try await page.dispatcher.dispatch(RemoveImage(id: image(1).id))
            }
            let rows = try await page.rows("message-rows")
            #expect(rows.count == 4)
            #expect(rows[0].contains("RemoveImage") && rows[0].contains("command, failed: ImageNotFound"))
            #expect(rows[1].contains("LoadNewestImage") && rows[1].contains(">query<"))
            #expect(rows[2...3].allSatisfy { $0.contains("LoadImageComments") && !$0.contains("failed") })
            #expect(try await page.html().contains("4 so far"))
        }
    }

    @Test func `only the newest messages are kept, and nothing of their content`() async throws {
        try await withPage { page async throws in
            for _ in 1...7 { _ = try await page.dispatcher.dispatch(LoadNewestImage()) }
            let search = SearchFeed("my-secret")
            await #expect(throws: RemoteFailure.self) { try await page.dispatcher.dispatch(search) }
            let rows = try await page.rows("message-rows")
            #expect(rows.count == 5)
            #expect(rows[0].contains("SearchFeed") && rows[0].contains("RemoteFailure"))
            #expect(rows.dropFirst().allSatisfy { $0.contains("LoadNewestImage") })
            #expect(try await !page.html().contains("secret"))
        }
    }

    @Test func `values in memory show their age, and why they are stale`() async throws {
        try await withPage { page async throws in
            let query = LoadImageComments(imageID: image(1).id)
            _ = try await page.dispatcher.dispatch(query)
            date.advance(by: 4)
            #expect(
                try await page.rows("cache-values").map(\.text) == ["FeedFeature.LoadImageComments 4 s fresh for 6 s"]
            )
            date.advance(by: 9)
            #expect(
                try await page.rows("cache-values").map(\.text) == [
                    "FeedFeature.LoadImageComments 13 s stale: expired 3 s ago"
                ]
            )
            _ = try await page.dispatcher.dispatch(query)
            try await page.cache.invalidate(LoadImageComments.self)
            #expect(
                try await page.rows("cache-values").map(\.text) == [
                    "FeedFeature.LoadImageComments 0 µs stale: invalidated"
                ]
            )
            let reads = try await page.html()
            #expect(reads.contains(#"aria-label="100 % loaded""#))
        }
    }

    @Test func `the chart of the reads shows the share of each kind`() async throws {
        try await withPage { page async throws in
            for _ in 1...4 { _ = try await page.dispatcher.dispatch(LoadImageComments(imageID: image(1).id)) }
            let text = try await page.html()
            #expect(text.contains(#"aria-label="75 % fresh, 25 % loaded""#))
            #expect(text.contains(#"<rect class="memory" x="0.00" width="75.00" height="4"/>"#))
            #expect(text.contains(#"<rect class="server" x="75.00" width="25.00" height="4"/>"#))
            #expect(text.contains("<strong>75 %</strong>"))
        }
    }

    @Test func `each message is listed with its handler and the dependencies of the handler`() async throws {
        try await withPage { page async throws in
            let text = try await page.html().text
            #expect(text.contains("FeedFeature.LoadNewestImage query LoadNewestImageHandler"))
            #expect(text.contains("RemoveImageHandler"))
            #expect(text.contains("scoped") || text.contains("transient"))
        }
    }

    // MARK: Cluster

    @Test func `the commands of a cluster are counted`() async throws {
        let log = InProcessCluster().commands
        let command = LoggedCommand(id: "1", key: "a", message: "Post", envelope: Envelope())
        _ = try await log.append(command)
        try await withPage(cluster: log) { page async throws in
            let lines = try await page.rows("cluster-commands", "li")
            #expect(lines.count == 3)
            #expect(lines.first?.contains("Commands that wait for a worker: 1") == true)
        }
    }

    @Test func `a cluster that cannot be reached has a reason instead`() async throws {
        let cluster = InProcessCluster()
        cluster.disconnect()
        try await withPage(cluster: cluster.commands) { page async throws in
            let lines = try await page.rows("cluster-commands", "li")
            #expect(lines.count == 1)
            #expect(lines.first?.contains("connection to the cluster was lost") == true)
        }
        try await withPage { page async throws in #expect(try await !page.html().contains(#"id="cluster""#)) }
    }

    // MARK: Waiting commands

    @Test func `a program without a queue has no section about one`() async throws {
        try await withPage { page async throws in
            #expect(try await !page.html().contains(#"id="commands""#))
            #expect(try await page.post("/inspect/commands/\(UUID())/drop").status == .notFound)
        }
    }

    @Test func `waiting commands show their state, escaped, and can be dropped`() async throws {
        let queue = queue()
        try await withPage(queue: queue) { page async throws in
            #expect(try await page.html().contains("No command is waiting."))
            let failed = try await waitingCommand(in: queue, page)
            let rows = try await page.rows("queued", "li")
            #expect(rows.count == 1)
            #expect(rows[0].contains("PostImageComment"))
            #expect(rows[0].contains("failed: &lt;script&gt;alert(1)&lt;/script&gt;"))
            #expect(!rows[0].contains("<script"))

            let answer = try await page.post("/inspect/commands/\(failed)/drop")
            #expect(answer.status == .seeOther)
            #expect(answer.headers[.location] == "/inspect#commands")
            #expect(queue.commands.isEmpty)
            #expect(try await page.html().contains("No command is waiting."))
        }
    }

    @Test(arguments: [(65_535, 404), (65_536, 404), (65_537, 413)])
    func `a command for developers takes at most 64 KiB`(size: Int, status: Int) async throws {
        try await withPage(queue: queue()) { page async throws in
            let body = ByteBuffer(repeating: UInt8(ascii: "x"), count: size)
            for command in ["retry", "drop"] {
                #expect(try await page.post("/inspect/commands/none/\(command)", body: body).status.code == status)
            }
        }
    }

    @Test func `a failed command is sent again on request`() async throws {
        let queue = queue()
        try await withPage(queue: queue) { page async throws in
            let failed = try await waitingCommand(in: queue, page)
            #expect(queue.commands.map(\.attempts) == [1])
            #expect(try await page.post("/inspect/commands/\(failed)/retry").status == .seeOther)
            for await commands in queue.states where commands.first?.isFailed == true && commands[0].attempts == 2 {
                return
            }
        }
    }

    @Test func `commands of other sites are refused`() async throws {
        let queue = queue()
        try await withPage(queue: queue) { page async throws in
            let failed = try await waitingCommand(in: queue, page)
            for sender in ["cross-site", "same-site", "none"] {
                #expect(try await page.post("/inspect/commands/\(failed)/drop", from: sender).status == .forbidden)
            }
            #expect(queue.commands.count == 1)
            #expect(try await page.post("/inspect/commands/none/drop").status == .notFound)
            #expect(try await page.get("/inspect/commands/\(failed)/drop").status == .notFound)
        }
    }
}

// MARK: The program

extension InspectTests {
    private func queue() -> CommandQueue {
        CommandQueue(in: InMemoryCommandStore(), now: { [date] in date.now() }, clock: clock)
    }

    private func container(queue: CommandQueue?, cluster: (any CommandLog)? = nil) throws -> Container {
        let builder = ContainerBuilder()
        builder.install(InspectModule(messageLimit: 5))
        builder.singleton { [date] in CurrentDate { date.now() } }
        builder.singleton((any Clock<Duration>).self) { [clock] in clock }
        builder.singleton { Calendar(identifier: .gregorian) }
        builder.singleton { NewID { UUID() } }
        builder.singleton { Logger.silent }
        builder.singleton((any CommentOutbox).self) { OutboxSpy() }
        builder.singleton { SenderToken() }
        if let queue { builder.singleton { queue } }
        if let cluster { builder.singleton((any CommandLog).self) { cluster } }
        builder.singleton { [date] in
            try QueryCache(in: .memory(limit: .entries(10)), now: { date.now() }) {
                Cache(LoadImageComments.self, .maxAge(.seconds(10)))
            }
        }
        builder.middleware { (cache: QueryCache) in cache }
        builder.handlers {
            LoadImageCommentsHandler.self
            LoadNewestImageHandler.self
            SearchFeedHandler.self
            RemoveImageHandler.self
            PostImageCommentHandler.self
        }
        builder.install(WebModule())
        return try builder.build()
    }

    private func withPage(
        inspects: Bool = true,
        publicURL: URL? = nil,
        queue: CommandQueue? = nil,
        cluster: (any CommandLog)? = nil,
        _ body: @Sendable (InspectedPage) async throws -> Void
    ) async throws {
        let container = try container(queue: queue, cluster: cluster)
        let dispatcher = try await container.dispatcher
        let outbox = try queue.map { queue in
            try dispatcher.queueing(in: queue) { Enqueue(PostImageComment.self, version: 1) }
        }
        try await FeedWeb(container: container)
            .application(
                host: "127.0.0.1",
                port: 0,
                publicURL: publicURL,
                inspectToken: inspects ? InspectedPage.token : nil,
                logger: .silent
            )
            .test(.live) { client in try await body(InspectedPage(client: client, container: container, outbox: outbox))
            }
        await container.dispose()
    }

    /// Posts a comment that fails for good, and returns the id of the command.
    private func waitingCommand(in queue: CommandQueue, _ page: InspectedPage) async throws -> UUID {
        let comment = PostImageComment(id: UUID(), imageID: image(1).id, message: "Hi", username: "me")
        try await page.outbox?.dispatch(comment)
        for await commands in queue.states { if let failed = commands.first(where: \.isFailed) { return failed.id } }
        throw Failure("The queue ended")
    }
}

private struct InspectedPage: Sendable {
    static let token = "0123456789abcdef"

    let client: any TestClientProtocol
    let container: Container
    /// Sends the commands of the queue.
    let outbox: QueueingDispatcher?

    var dispatcher: any Dispatcher {
        get async throws { try await container.dispatcher }
    }

    var cache: QueryCache {
        get async throws { try await container.resolve() }
    }

    func get(_ path: String) async throws -> TestResponse {
        try await client.execute(uri: path, method: .get, headers: [.cookie: "a=b; inspect=\(Self.token)"])
    }

    func html() async throws -> String {
        let response = try await get("/inspect")
        #expect(response.status == .ok)
        #expect(response.headers[.contentType] == "text/html; charset=utf-8")
        #expect(response.headers[.cacheControl] == "no-store")
        return String(buffer: response.body)
    }

    func post(
        _ path: String,
        from sender: String = "same-origin",
        body: ByteBuffer? = nil
    ) async throws -> TestResponse {
        let field = try #require(HTTPField.Name("Sec-Fetch-Site"))
        return try await client.execute(
            uri: path,
            method: .post,
            headers: [field: sender, .cookie: "inspect=\(Self.token)"],
            body: body
        )
    }

    /// The HTML of each row of a part of the page.
    func rows(_ id: String, _ element: String = "tr") async throws -> [String] {
        let html = try await html()
        let start = try #require(html.firstRange(of: #"id="\#(id)" data-live>"#))
        let rest = html[start.upperBound...]
        let end = try #require(rest.firstRange(of: element == "tr" ? "</tbody>" : "</ul>"))
        return rest[..<end.lowerBound].components(separatedBy: "<\(element)").dropFirst().map { "<\(element)" + $0 }
    }
}

extension String {
    /// The text of this HTML, without elements.
    fileprivate var text: String {
        replacing(/<[^>]*>/, with: " ").split(whereSeparator: \.isWhitespace).joined(separator: " ")
            .replacing("FeedFeature. ", with: "FeedFeature.")
    }
}

private struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

private struct LoadImageCommentsHandler: QueryHandler, Resolvable {
    static var dependencies: [ResolvedDependency] { [] }

    init(from scope: Scope) async throws {}
    func handle(_ query: LoadImageComments) async throws -> ImageCommentPage { ImageCommentPage(comments: []) }
}

private struct LoadNewestImageHandler: QueryHandler, Resolvable {
    static var dependencies: [ResolvedDependency] { [] }

    init(from scope: Scope) async throws {}

    func handle(_ query: LoadNewestImage) async throws -> FeedImage.ID? { nil }
}

private struct SearchFeedHandler: QueryHandler, Resolvable {
    static var dependencies: [ResolvedDependency] { [] }

    init(from scope: Scope) async throws {}

    func handle(_ query: SearchFeed) async throws -> FeedSearchPage {
        throw RemoteFailure.connectivity("my-secret cannot be found")
    }
}

private struct RemoveImageHandler: CommandHandler, Resolvable {
    static var dependencies: [ResolvedDependency] { [] }

    init(from scope: Scope) async throws {}
    func handle(_ command: RemoveImage) async throws { throw ImageNotFound(id: command.id) }
}

private struct PostImageCommentHandler: CommandHandler, Resolvable {
    static var dependencies: [ResolvedDependency] { [] }

    init(from scope: Scope) async throws {}
    func handle(_ command: PostImageComment) async throws { throw Failure("<script>alert(1)</script>") }
}
