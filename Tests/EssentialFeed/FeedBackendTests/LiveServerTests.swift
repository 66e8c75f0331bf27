import Duet
import DuetDependencies
import DuetHTTP
import DuetTesting
import FeedBackend
import FeedFeature
import FeedTesting
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import ServiceLifecycle
import Testing

/// The same backend over a real socket.
@Suite(.serialized) struct LiveServerTests {
    private let backend: TestBackend

    init() async throws {
        backend = try await TestBackend()
    }

    private func answer(
        _ request: String,
        host: String = "127.0.0.1",
        publicURL: URL? = nil,
        isCutShort: Bool = false
    ) async throws -> String {
        try await backend.test(.live, host: host, publicURL: publicURL) { client in
            try await exchange(request, port: try #require(client.port), isCutShort: isCutShort)
        }
    }

    private func get(_ host: String) -> String {
        "GET /v1/feed HTTP/1.1\r\n\(host)Connection: close\r\n\r\n"
    }

    @Test func `an image is published, loaded and removed over a socket`() async throws {
        let photograph = try Data.sample("clock.jpg")
        let uri = "/v1/image/\(UUID.number(1))"
        try await backend.test(.live) { client in
            #expect(try await client.put("\(uri)?description=Clock", "image/jpeg", photograph).status == .created)
            #expect(try await client.get(uri).data == photograph)
            let head = try await client.execute(uri: uri, method: .head)
            #expect(head.headers[.contentLength] == String(photograph.count))
            let body = #"{"id":"\#(UUID.number(2))","message":"Hello","username":"me"}"#
            #expect(try await client.post("\(uri)/comments", body).status == .created)
            #expect(String(buffer: try await client.get("\(uri)/comments").body).contains("Hello"))
            #expect(try await client.delete(uri).status == .noContent)
            _ = try await client.get(uri).problem(.gone)
        }
    }

    @Test(arguments: ["α", "\u{1F600}"])
    func `an image is published and corrected with three texts of the largest size`(character: String) async throws {
        let uri = "/v1/image/\(UUID.number(1))"
        let text = String(repeating: character, count: PublishImage.textLimit)
        let encoded = text.utf8.map { "%" + String($0, radix: 16, uppercase: true) }.joined()
        // As encoders write JSON that keep to ASCII.
        let escaped = text.utf16.map { "\\u" + String(UInt32($0) + 0x10000, radix: 16).dropFirst() }.joined()
        try await backend.test(.live) { client in
            let query = "description=\(encoded)&caption=\(encoded)&location=\(encoded)"
            #expect(try await client.put("\(uri)?\(query)", "image/jpeg", .tinyImage).status == .created)
            var headers = HTTPFields.publisher
            headers[.contentType] = "application/json"
            for body in [
                #"{"caption":"\#(escaped)","location":"\#(escaped)","description":"\#(escaped)"}"#,
                #"{"caption":"New","location":"","description":null}"#,
            ] {
                let answer = try await client.execute(
                    uri: "\(uri)/details",
                    method: .patch,
                    headers: headers,
                    body: ByteBuffer(string: body)
                )
                #expect(answer.status == .noContent)
            }
        }
        let image = try #require(try await backend.dispatcher.dispatch(LoadFeed()).images.first)
        #expect(image.description == text)
        #expect(image.caption == "New")
        #expect(image.location == nil)
    }

    @Test func `an address may post 300 comments at once, and then one every 200 ms`() async throws {
        let clock = ManualClock()
        let quota = ClientQuota(BackendModule.commentsPerMinute, per: .seconds(60), clock: clock)
        try await TestBackend(comments: quota).test(.live) { client async throws in
            let uri = "/v1/image/\(UUID.number(1))"
            #expect(try await client.put(uri, "image/jpeg", .tinyImage).status == .created)
            func post() async throws -> HTTPResponse.Status {
                let body = #"{"id":"\#(UUID())","message":"Hello","username":"me"}"#
                return try await client.post("\(uri)/comments", body).status
            }
            for _ in 1...300 { #expect(try await post() == .created) }
            #expect(try await post() == .tooManyRequests)
            clock.advance(by: .milliseconds(199))
            #expect(try await post() == .tooManyRequests)
            clock.advance(by: .milliseconds(1))
            #expect(try await post() == .created)
            #expect(try await post() == .tooManyRequests)
        }
    }

    @Test func `a body that is too large does not end the connection`() async throws {
        try await backend.test(.live) { client in
            let uri = "/v1/image/\(UUID.number(1))"
            _ = try await client.put(uri, "image/jpeg", .image(ofSize: 16_777_217)).problem(.contentTooLarge)
            #expect(try await client.put(uri, "image/jpeg", .tinyImage).status == .created)
        }
    }

    @Test(arguments: ["Content-Length: 1000\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n3e8\r\n"])
    func `a truncated body is not stored`(framing: String) async throws {
        let head =
            "PUT /v1/image/\(UUID.number(1)) HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: image/gif\r\n"
            + "Authorization: Bearer \(AccessToken.test.text)\r\n"
        let answer = try await answer("\(head)\(framing)GIF89a and no more", isCutShort: true)
        #expect(answer.hasPrefix("HTTP/1.1 400 "))
        #expect(try await backend.rows() == 0)
    }

    @Test(arguments: ["127.0.0.1", "localhost", "LOCALHOST:8080", "[::1]", "[::1]:80", "127.0.0.1:1"])
    func `on a loopback address requests for this machine's names are accepted`(host: String) async throws {
        try await backend.publish(1...1)
        let answer = try await answer(get("Host: \(host)\r\n"))
        #expect(answer.hasPrefix("HTTP/1.1 200 "))
        #expect(answer.contains(#""image":"http://\#(host)/v1/image/\#(UUID.number(1))?hash=acc4b644ba90b690""#))
    }

    @Test(arguments: ["evil.example", "evil.example:8080", "127.0.0.1.evil.example", "10.0.0.1", "[::2]"])
    func `on a loopback address other names are refused`(host: String) async throws {
        #expect(try await answer(get("Host: \(host)\r\n")).hasPrefix("HTTP/1.1 421 "))
    }

    @Test(arguments: [
        "", "Host:\r\n", "Host: a b\r\n", "Host: me@localhost\r\n", "Host: localhost:x\r\n", "Host: [::1\r\n",
        "Host: local\"host\r\n",
    ])
    func `a request without a proper host is a bad request`(field: String) async throws {
        #expect(try await answer(get(field), host: "0.0.0.0").hasPrefix("HTTP/1.1 400 "))
    }

    @Test func `on any other address every name is accepted`() async throws {
        #expect(try await answer(get("Host: feed.example\r\n"), host: "0.0.0.0").hasPrefix("HTTP/1.1 200 "))
    }

    @Test func `behind a proxy on this machine the public name is accepted`() async throws {
        let url = try #require(URL(string: "https://feed.example/x"))
        #expect(try await answer(get("Host: feed.example\r\n"), publicURL: url).hasPrefix("HTTP/1.1 200 "))
        #expect(try await answer(get("Host: evil.example\r\n"), publicURL: url).hasPrefix("HTTP/1.1 421 "))
    }

    @Test func `behind a proxy on this machine a public address is accepted, also of IPv6`() async throws {
        let url = try #require(URL(string: "http://[2001:DB8::0:1]:8080/x"))
        #expect(try await answer(get("Host: [2001:db8::1]:8080\r\n"), publicURL: url).hasPrefix("HTTP/1.1 200 "))
        #expect(try await answer(get("Host: [2001:db8::2]:8080\r\n"), publicURL: url).hasPrefix("HTTP/1.1 421 "))
    }

    @Test func `a request in flight is completed before the server ends`() async throws {
        let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let builder = ContainerBuilder()
        builder.transient { HeldHandler(arrival: arrival) }
        builder.handlers { HeldHandler.self }
        builder.singleton { MessageOrigin() }
        let application = try FeedBackend(container: try builder.build()).application(
            port: 0,
            onServerRunning: { channel in port.yield(channel.localAddress?.port ?? 0) },
            logger: .silent
        )
        let group = ServiceGroup(services: [application], logger: .silent)
        try await withThrowingTaskGroup { tasks in
            tasks.addTask { try await group.run() }
            let port = try #require(await ports.first { _ in true })
            async let answer = exchange(get("Host: 127.0.0.1:\(port)\r\n"), port: port)
            _ = await arrivals.first { _ in true }
            await group.triggerGracefulShutdown()
            #expect(try await answer.hasSuffix(#"{"items":[]}"#))
            try await tasks.waitForAll()
        }
    }

    @Test func `a free port is chosen, reported and released`() async throws {
        let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
        let application = try backend.backend.application(
            port: 0,
            onServerRunning: { channel in continuation.yield(channel.localAddress?.port ?? 0) },
            logger: .silent
        )
        let group = ServiceGroup(services: [application], logger: .silent)
        try await withThrowingTaskGroup { tasks in
            tasks.addTask { try await group.run() }
            let port = try #require(await ports.first { _ in true })
            #expect(port > 0)
            #expect(try await exchange(get("Host: 127.0.0.1:\(port)\r\n"), port: port).hasPrefix("HTTP/1.1 200 "))
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
    }
}

/// Returns only after the server has been asked to shut down.
private struct HeldHandler: QueryHandler {
    let arrival: AsyncStream<Void>.Continuation

    func handle(_ query: LoadFeed) async throws -> FeedPage {
        arrival.yield()
        try await gracefulShutdown()
        return FeedPage(images: [], source: .remote)
    }
}
