import Duet
import DuetCaching
import DuetDependencies
import FeedBackend
import FeedFeature
import FeedTesting
import Foundation
import HTTPTypes
import HummingbirdTesting
import Testing

/// Tests of values that the backend keeps until something is written that they show.
@Suite(.serialized, .timeLimit(.minutes(1))) struct KeptPagesTests {
    private let backend: TestBackend
    private let image = UUID.number(1)

    init() async throws {
        backend = try await TestBackend()
        try await backend.publish(1...3)
    }

    private var paths: [String] {
        [
            "/v1/feed?limit=2", "/v1/feed?limit=2&after_id=\(UUID.number(2))", "/v1/feed/search?q=1",
            "/v1/image/\(image)/details", "/v1/image/\(image)/neighbors", "/v1/image/\(image)/comments",
        ]
    }

    @Test func `every page is kept, and nothing that a handler reads goes untracked`() async throws {
        let cache: QueryCache = try await backend.container.resolve()
        try await backend.test { client in
            for path in paths + paths {
                let response = try await client.get(path)
                #expect(response.status == .ok, "\(path)")
            }
        }
        #expect(cache.untrackedQueries == [:])
        #expect(cache.peek(LoadFeed(limit: 2)) != nil)
        #expect(cache.peek(LoadFeed(after: .number(2), limit: 2)) != nil)
        #expect(cache.peek(LoadImageDetails(id: image)) != nil)
        #expect(cache.peek(LoadNeighbors(of: image)) != nil)
        #expect(cache.peek(LoadImageComments(imageID: image, limit: nil)) != nil)
        #expect(cache.peek(SearchFeed("1")) != nil)
    }

    @Test(arguments: [false, true])
    func `a page that was kept shows what was written since, also by another process`(isOther: Bool) async throws {
        let other = try await TestBackend.container(backend.folder.path("feed.sqlite"))
        let writer = isOther ? try await other.dispatcher : try await backend.dispatcher
        try await backend.test { client in
            for path in paths { _ = try await client.get(path) }
            let comment = PostImageComment(id: .number(9), imageID: image, message: "Hello", username: "me")
            try await writer.dispatch(comment)
            try await writer.dispatch(PublishImage(id: .number(4), description: "4 and 1", data: .tinyImage))
            // Another process is noticed within 100 milliseconds.
            while isOther, !(try await client.get(paths[0]).text.contains("\(UUID.number(4))")) {}
            var texts: [String] = []
            for path in paths { texts.append(try await client.get(path).text) }
            #expect(texts[0].contains("\(UUID.number(4))"))
            #expect(texts[1].contains("\(image)"))
            #expect(texts[1].contains(#""comment_count":1"#))
            #expect(texts[2].contains("\(UUID.number(4))"))
            #expect(texts[3].contains(#""comment_count":1"#))
            #expect(texts[5].contains("Hello"))
        }
        await other.dispose()
    }

    @Test func `the host of one client is in no link of another one`() async throws {
        try await backend.test(.live, host: "0.0.0.0") { client in
            let port = try #require(client.port)
            for host in ["evil.example", "feed.example", "evil.example"] {
                let request = "GET /v1/feed?limit=1 HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n"
                let answer = try await exchange(request, port: port)
                #expect(answer.contains("\(host)"))
                #expect(answer.contains("evil.example") == (host == "evil.example"))
            }
        }
    }
}
