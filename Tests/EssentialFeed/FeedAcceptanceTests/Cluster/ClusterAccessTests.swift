import Duet
import DuetCluster
import DuetDependencies
import FeedBackend
import FeedComposition
import FeedFeature
import FeedTesting
import Foundation
import Logging
import Testing

/// The permissions of senders whose messages come through a cluster: the same as over HTTP.
@Suite(.timeLimit(.minutes(5))) struct ClusterAccessTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test func `publishing and removing need a token with the permission`() async throws {
        try await withSenders { send async throws in
            let image = PublishImage(id: try .numbered(1), description: "Cat", data: try image())
            let removal = RemoveImage(id: image.id)
            for (token, error) in [(nil, AuthorizationError.unauthenticated), (send.writer, .forbidden)] {
                await #expect(throws: error) { try await send(image, token) }
                await #expect(throws: error) { try await send(removal, token) }
            }
            try await send(image, send.publisher)
            #expect(try await send(LoadFeed(limit: 1), nil).images.map(\.id) == [image.id])
            try await send(removal, send.publisher)
            #expect(try await send(LoadFeed(limit: 1), nil).images.map(\.id) != [image.id])
        }
    }

    @Test func `a sender loads the permissions of its own token`() async throws {
        try await withSenders { send async throws in
            #expect(try await send(LoadPermissions(), send.publisher) == [.publish])
            #expect(try await send(LoadPermissions(), send.writer) == [.comment])
            for token in [nil, "feed_unknown"] {
                await #expect(throws: AuthorizationError.unauthenticated) { try await send(LoadPermissions(), token) }
            }
        }
    }

    @Test(arguments: [false, true])
    func `comments need a token if they are closed`(areClosed: Bool) async throws {
        try await withSenders(closedComments: areClosed) { send async throws in
            let image = try #require(try await send(LoadFeed(limit: 1), nil).images.first)
            let comment = PostImageComment(id: try .numbered(1), imageID: image.id, message: "Hello", username: "ann")
            if areClosed {
                await #expect(throws: AuthorizationError.unauthenticated) { try await send(comment, nil) }
                await #expect(throws: AuthorizationError.forbidden) { try await send(comment, send.publisher) }
            } else {
                try await send(comment, nil)
            }
            try await send(comment, send.writer)
            let comments = try await send(LoadImageComments(imageID: image.id), nil).comments
            #expect(comments.count { $0.id == comment.id } == 1)
        }
    }

    @Test func `an image that is too large for the cluster is published over HTTP`() async throws {
        try await withSenders { send async throws in
            let data = Data.image(ofSize: 2 << 20)
            try await send(PublishImage(id: try .numbered(2), data: data), send.publisher)
            let image = try #require(try await send(LoadFeed(limit: 1), nil).images.first)
            #expect(try await send(LoadImageData(url: image.url), nil).count == data.count)
        }
    }

    /// Sends messages from a page, with the token of its reader.
    private struct Senders {
        let container: Container
        let publisher: String
        let writer: String

        func callAsFunction<M: Message>(_ message: M, _ token: String?) async throws -> M.Value {
            try await container.withScope(overriding: Override(SenderToken.self) { SenderToken(token) }) { scope in
                let dispatcher: any Dispatcher = try await scope.resolve()
                return try await dispatcher.dispatch(message)
            }
        }
    }

    private func withSenders(closedComments: Bool = false, body: (Senders) async throws -> Void) async throws {
        try await RunningCluster.with(workers: 2, pages: 0, in: directory, closedComments: closedComments) { cluster in
            let environment = Environment(logger: .none)
            let tokens = FeedTokens(database: directory.appending("backend.sqlite"), environment: environment)
            let (publisher, writer) = (
                try await tokens.issue(name: "publisher", permitting: [.publish]),
                try await tokens.issue(name: "writer", permitting: [.comment])
            )
            let remote = try #require(cluster.workers.last?.url)
            let container = try Container.page(
                ClientOptions(remote: remote, cache: nil),
                environment: environment,
                cluster: cluster.engine,
                onWarning: { _ in }
            )
            try await container.ending { container in
                try await body(
                    Senders(container: container, publisher: publisher.token.text, writer: writer.token.text)
                )
            }
        }
    }

    private func image() throws -> Data { try Data(contentsOf: FeedSeeder.samples.appending(path: "clock.jpg")) }
}
