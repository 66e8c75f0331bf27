import Duet
import DuetCaching
import DuetHTTP
import Foundation
import HTTPTypes
import TestSupport
import Testing

/// A text with a link to itself.
private struct LoadLink: LinkingQuery, HTTPQuery, Hashable {
    static let route: QueryRoute<Self> = .get("links/{id}").live()
    typealias Value = LoadText.Value

    struct Payload: Codable, Sendable, Equatable {
        let text: String
        let link: String
    }

    var id = 1

    static func value(from payload: Payload, answering query: Self) -> Value {
        Value(text: payload.text, encodings: Encodings())
    }

    static func payload(from value: Value, answering query: Self, at address: String) throws -> Payload {
        value.encodings.add()
        return Payload(text: value.text, link: "\(address)/links/\(query.id)")
    }
}

private struct WriteLink: HTTPCommand, AnsweredCommand {
    static let route: CommandRoute<Self> = .post("links")
    func answer(from content: LoadLink.Payload?) -> LoadLink? { LoadLink() }
}

private struct LinkHandler: QueryHandler {
    let encodings: Encodings

    func handle(_ query: LoadLink) async throws -> LoadText.Value {
        LoadText.Value(text: "Duet", encodings: encodings)
    }
}

private struct WriteHandler: CommandHandler {
    func handle(_ command: WriteLink) async throws {}
}

/// Tests of payloads with the address at which a client reaches the server.
@Suite struct LinkingQueryTests {
    private let encodings = Encodings()
    private let cached: CachingDispatcher

    init() throws {
        let encodings = encodings
        cached = try StandardDispatcher {
            LinkHandler(encodings: encodings)
            WriteHandler()
        }
        .caching(in: .memory(limit: .weight(2_000))) {
            Cache(LoadLink.self, .untilInvalidated, scope: .shared, weight: { _ in 100 })
        }
    }

    private func service(_ options: MountOptions = MountOptions()) throws -> HTTPService {
        try HTTPService(
            .open {
                LoadLink.self
                WriteLink.self
            },
            cached,
            options: options
        ) { _ in }
    }

    private func request(_ host: String?, _ path: String = "/links/1", scheme: String? = "http") -> HTTPRequest {
        HTTPRequest(method: .get, scheme: scheme, authority: host, path: path)
    }

    private func link(_ service: HTTPService, _ request: HTTPRequest) async throws -> String? {
        let body = try #require(await service.respond(to: request).1.whole)
        return try? JSONDecoder().decode(LoadLink.Payload.self, from: body).link
    }

    @Test func `links begin with the address of the request, and each address has its own content`() async throws {
        let service = try service()
        for _ in 0..<3 {
            #expect(try await link(service, request("a.example")) == "http://a.example/links/1")
            #expect(try await link(service, request("b.example:81", scheme: "https")) == "https://b.example:81/links/1")
        }
        #expect(encodings.count == 2)
        #expect(try await link(service, request("a.example", scheme: nil)) == "http://a.example/links/1")
        #expect(encodings.count == 2)
    }

    @Test(arguments: ["https://public.example/api", "https://public.example/api/"])
    func `the mount can have an address, whatever the request says`(address: String) async throws {
        let service = try service(MountOptions(address: BaseURL(address)))
        for host in ["a.example", "b.example", nil] {
            #expect(try await link(service, request(host)) == "https://public.example/api/links/1")
        }
        #expect(encodings.count == 1)
    }

    @Test(arguments: [nil, "", "a b", "ada@a.example", "a.example:port", String(repeating: "a", count: 300)])
    func `a host that no link could have is refused`(host: String?) async throws {
        let (response, body) = await (try service()).respond(to: request(host))
        #expect(response.status == .badRequest)
        #expect(String(decoding: body.whole ?? Data(), as: UTF8.self).contains("Host"))
        #expect(encodings.count == 0)
    }

    @Test func `a forged host reaches nobody else, and 10,000 of them take no memory`() async throws {
        let service = try service()
        for id in 0..<10 { _ = try await cached.dispatch(LoadLink(id: id)) }
        for number in 0..<10_000 {
            let host = "evil\(number).example"
            #expect(try await link(service, request(host)) == "http://\(host)/links/1")
            if number % 1_000 == 0 {
                #expect(try await link(service, request("a.example")) == "http://a.example/links/1")
            }
        }
        #expect(try await link(service, request("a.example")) == "http://a.example/links/1")
        // Two contents of about 60 bytes have room beside ten values of 100.
        #expect(cached.cache.count == 10)
    }

    @Test func `events and answers have the address, too`() async throws {
        let service = try service()
        var events = request("a.example")
        events.headerFields[.accept] = "text/event-stream"
        let (_, body) = await service.respond(to: events)
        var text = ""
        for try await piece in body {
            text += String(decoding: piece, as: UTF8.self)
            if text.contains("links") { break }
        }
        #expect(text.contains(#"http:\/\/a.example\/links\/1"#) || text.contains("http://a.example/links/1"))

        var command = request("b.example", "/links")
        command.method = .post
        command.headerFields[.contentType] = "application/json"
        #expect(try await linkOfAnswer(service, command) == "http://b.example/links/1")
    }

    private func linkOfAnswer(_ service: HTTPService, _ request: HTTPRequest) async throws -> String? {
        let body = try #require(await service.respond(to: request, body: HTTPBody(Data("{}".utf8))).1.whole)
        return try JSONDecoder().decode(LoadLink.Payload.self, from: body).link
    }

    @Test func `a carrier without addresses has a fixed one`() throws {
        let value = LoadText.Value(text: "Duet", encodings: encodings)
        #expect(try LoadLink.payload(from: value, answering: LoadLink()).link == "http://localhost/links/1")
    }
}
