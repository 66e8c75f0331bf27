import Duet
import DuetDependencies
import DuetHTTP
import DuetTesting
import FeedAPI
import FeedComposition
import FeedFeature
import FeedTesting
import Foundation
import HTTPTypes
import Testing

/// Comments that wait until the server can be reached.
@Suite struct OutboxTests {
    private let directory: TemporaryDirectory
    private let environment = Environment(logger: .silent)

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func comment(_ number: Int, on image: Int = 1) -> PostImageComment {
        PostImageComment(id: .fixture(number), imageID: .fixture(image), message: "\(number)", username: "Ann")
    }

    private func launch(
        _ client: MockHTTPClient,
        onlyReads: Bool = false,
        token: String? = nil,
        servesReaders: Bool = false,
        _ body: @Sendable (any CommentOutbox) async throws -> Void
    ) async throws {
        try await launch(client, onlyReads: onlyReads, token: token, servesReaders: servesReaders) { outbox, _ in
            try await body(outbox)
        }
    }

    private func launch(
        _ client: MockHTTPClient,
        onlyReads: Bool = false,
        token: String? = nil,
        servesReaders: Bool = false,
        _ body: @Sendable (any CommentOutbox, any Dispatcher) async throws -> Void
    ) async throws {
        let remote = try #require(URL(string: "https://feed.invalid/"))
        let file = directory.url.appending(path: "outbox.sqlite")
        let options = ClientOptions(
            remote: remote,
            cache: nil,
            credentials: token.map { Credentials(token: $0) },
            outbox: file,
            servesReaders: servesReaders,
            onlyReads: onlyReads
        )
        try await withContainer(
            of: environment,
            try ClientModule(options, onWarning: { _ in }),
            overriding: Override((any HTTPClient).self) { client }
        ) { container in
            try await body(container.resolve(), container.resolve())
        }
    }

    private struct Unreachable: Error {}

    private func path(of image: Int = 1) -> String { "/v1/image/\(UUID.fixture(image))/comments" }

    @Test func `comments outlive the process, and are sent in order under their own ids`() async throws {
        let unreachable = MockHTTPClient()
        let failure = HTTPClientError.connectionFailed(url: "", underlying: Unreachable())
        unreachable.expect(.post, path(), times: nil, throwing: failure)
        try await launch(unreachable) { outbox in
            try await outbox.keep(comment(11))
            try await outbox.keep(comment(12))
            await outbox.send()
            #expect(await outbox.comments.map(\.id) == [.fixture(11), .fixture(12)])
        }
        let server = MockHTTPClient()
        for _ in 1...2 { server.expect(.post, path(), status: .created) }
        try await launch(server) { outbox in
            await outbox.send()
            #expect(await outbox.comments == [])
        }
        let keys = server.received.map { $0.request.headerFields[.idempotencyKey] }
        #expect(keys == [11, 12].map { "\(UUID.fixture($0))" })
    }

    @Test func `a comment that was sent from the outbox makes the cached comments of its image stale`() async throws {
        let server = MockHTTPClient()
        for _ in 1...3 { server.expect(.get, path() + "?limit=50", json: #"{"items":[]}"#) }
        server.expect(.post, path(), status: .notFound)
        server.expect(.post, path(), status: .created)
        try await launch(server) { outbox, dispatcher in
            func load() async throws { _ = try await dispatcher.dispatch(LoadImageComments(imageID: .fixture(1))) }
            try await load()
            try await outbox.keep(comment(11))
            await outbox.send()
            // An attempt that failed may have done its work.
            try await load()
            #expect(server.received.map(\.request.method) == [.get, .post, .get])
            try await outbox.retry(.fixture(11))
            await outbox.send()
            try await load()
        }
        #expect(server.received.map(\.request.method) == [.get, .post, .get, .post, .get])
    }

    @Test func `a comment beyond the sender's quota waits, and is sent once later`() async throws {
        let busy = MockHTTPClient()
        busy.expect(.post, path(), times: nil, problem: TooManyComments(until: .seconds(30)))
        let reason = "\(TooManyComments(until: .seconds(30)))"
        try await launch(busy) { outbox, dispatcher in
            await #expect(throws: TooManyComments(until: .seconds(30))) { try await dispatcher.dispatch(comment(12)) }
            try await outbox.keep(comment(11))
            await outbox.send()
            #expect(await outbox.comments.map(\.state) == [.waiting(reason: reason)])
        }
        let server = MockHTTPClient()
        server.expect(.post, path(), status: .created)
        try await launch(server) { outbox in
            await outbox.send()
            #expect(await outbox.comments == [])
        }
        #expect(server.received.count == 1)
    }

    @Test func `a refused comment keeps its reason until it is dropped`() async throws {
        let server = MockHTTPClient()
        server.expect(.post, path(), status: .notFound)
        try await launch(server) { outbox in
            try await outbox.keep(comment(11))
            await outbox.send()
            let failed = await outbox.comments
            #expect(failed.map(\.isFailed) == [true])
            try await outbox.drop(.fixture(11))
            #expect(await outbox.comments == [])
        }
    }

    @Test func `a thousand comments may wait, and refused ones make room for others`() async throws {
        let client = MockHTTPClient()
        client.expect(.post, path(of: 2), status: .notFound)
        let failure = HTTPClientError.connectionFailed(url: "", underlying: Unreachable())
        client.expect(.post, path(), times: nil, throwing: failure)
        try await launch(client) { outbox in
            try await outbox.keep(comment(1, on: 2))
            await outbox.send()
            for number in 2...1_000 { try await outbox.keep(comment(number)) }
            #expect(await outbox.comments.count == 1_000)
            try await outbox.keep(comment(1_001))
            #expect(await outbox.comments.map(\.id) == (2...1_001).map { .fixture($0) })
            await #expect(throws: RemoteFailure.self) { try await outbox.keep(comment(1_002)) }
        }
    }

    // MARK: Rights

    @Test func `a reader's comment is never sent with the token of a program`() async throws {
        let unreachable = MockHTTPClient()
        let failure = HTTPClientError.connectionFailed(url: "", underlying: Unreachable())
        unreachable.expect(.post, path(), times: nil, throwing: failure)
        unreachable.expect(.post, path(of: 2), times: nil, throwing: failure)
        // As a request to the page does.
        try await launch(unreachable, servesReaders: true) { outbox in
            try await withServedRequest { try await outbox.keep(comment(11)) }
            // The next program sends only when no attempt of this one is under way.
            await outbox.send()
        }
        try await launch(unreachable) { outbox in
            try await outbox.keep(comment(12, on: 2))
            await outbox.send()
        }

        let server = MockHTTPClient()
        server.expect(.post, path(), problem: AuthorizationError.unauthenticated)
        server.expect(.post, path(of: 2), status: .created)
        try await launch(server, token: "feed_operator") { outbox in
            await outbox.send()
            // It does not wait for a sign-in that nobody can make.
            #expect(await outbox.comments.map(\.id) == [.fixture(11)])
            #expect(await outbox.comments.map(\.isFailed) == [true])
        }
        let tokens = server.received.map { ($0.request.path, $0.request.headerFields[.authorization]) }
        #expect(tokens.count == 2)
        for (path, token) in tokens { #expect(token == (path == self.path() ? nil : "Bearer feed_operator")) }
    }

    @Test(arguments: [AuthorizationError.unauthenticated, .forbidden])
    func `in the outbox of a page, a refusal is a failure`(error: AuthorizationError) async throws {
        for isReaders in [true, false] {
            let server = MockHTTPClient()
            server.expect(.post, path(), problem: error)
            try await launch(server, servesReaders: true) { outbox in
                if isReaders {
                    try await withServedRequest { try await outbox.keep(comment(11)) }
                } else {
                    try await outbox.keep(comment(11))
                }
                await outbox.send()
                #expect(await outbox.comments.map(\.isFailed) == [true])
                try await outbox.drop(.fixture(11))
            }
        }
    }

    @Test func `without a valid token, a comment of a program that serves nobody waits`() async throws {
        let server = MockHTTPClient()
        server.expect(.post, path(), times: nil, problem: AuthorizationError.unauthenticated)
        try await launch(server) { outbox in
            try await outbox.keep(comment(11))
            await outbox.send()
            #expect(await outbox.comments.map(\.isFailed) == [false])
        }
    }

    // MARK: Two programs with one file

    @Test func `while one program sends, it sends the comments of another one, too`() async throws {
        let (page, reply) = (MockHTTPClient(), MockHTTPClient())
        page.expect(.post, path(), status: .created)
        page.expect(.post, path(), status: .notFound)
        try await launch(page) { outbox in
            #expect(await outbox.comments == [])
            try await launch(reply) { other in
                try await other.keep(comment(11))
                await other.send()
                #expect(await other.comments == [])
                try await other.keep(comment(12))
                await other.send()
                #expect(await other.comments.map(\.isFailed) == [true])
                try await other.drop(.fixture(12))
            }
        }
        let keys = page.received.map { $0.request.headerFields[.idempotencyKey] }
        #expect(keys == [11, 12].map { "\(UUID.fixture($0))" })
        #expect(reply.received.isEmpty)
    }

    @Test func `without a connection, the comment of another program waits, and that one sends it at last`()
        async throws
    {
        let (page, reply) = (MockHTTPClient(), MockHTTPClient())
        page.expect(.post, path(), times: nil, status: .serviceUnavailable, headers: [.retryAfter: "3600"])
        reply.expect(.post, path(), status: .created)
        let (started, ended) = (Gate(), Gate())
        async let running: Void = launch(page) { outbox in
            #expect(await outbox.comments == [])
            started.open()
            try await ended.pass()
        }
        try await started.pass()
        try await launch(reply) { other in
            try await other.keep(comment(11))
            // The page would pause for an hour after its first attempt.
            for attempts in 1...2 {
                await other.send()
                #expect(await other.comments.map(\.state) == [.waiting(reason: nil)])
                #expect(page.received.count >= attempts)
            }
            #expect(reply.received.isEmpty)
            ended.open()
            while await other.comments != [] { await Task.yield() }
        }
        try await running
        #expect(reply.received.count == 1)
    }

    @Test func `a program that only reads the comments sends none`() async throws {
        let unreachable = MockHTTPClient()
        let failure = HTTPClientError.connectionFailed(url: "", underlying: Unreachable())
        unreachable.expect(.post, path(), times: nil, throwing: failure)
        try await launch(unreachable) { try await $0.keep(comment(11)) }
        let reader = MockHTTPClient()
        try await launch(reader, onlyReads: true) { outbox in
            #expect(await outbox.comments.map(\.state) == [.waiting(reason: nil)])
        }
        #expect(reader.received.isEmpty)
    }

    @Test func `an invalid comment is not kept`() async throws {
        try await launch(MockHTTPClient()) { outbox in
            let invalid = PostImageComment(id: .fixture(1), imageID: .fixture(1), message: " ", username: "Ann")
            await #expect(throws: InvalidMessage.self) { try await outbox.keep(invalid) }
            #expect(await outbox.comments == [])
        }
    }
}
