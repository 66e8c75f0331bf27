import Duet
import DuetDependencies
import DuetHTTP
import DuetTesting
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
        _ body: @Sendable (any CommentOutbox) async throws -> Void
    ) async throws {
        let remote = try #require(URL(string: "http://feed.invalid/"))
        let options = ClientOptions(remote: remote, cache: nil, outbox: directory.url.appending(path: "outbox.sqlite"))
        try await withContainer(
            of: environment,
            try ClientModule(options, onWarning: { _ in }),
            overriding: Override((any HTTPClient).self) { client }
        ) { container in
            try await body(container.resolve())
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

    @Test func `an invalid comment is not kept`() async throws {
        try await launch(MockHTTPClient()) { outbox in
            let invalid = PostImageComment(id: .fixture(1), imageID: .fixture(1), message: " ", username: "Ann")
            await #expect(throws: InvalidMessage.self) { try await outbox.keep(invalid) }
            #expect(await outbox.comments == [])
        }
    }
}
