import Duet
import DuetCaching
import DuetHTTP
import DuetTesting
import Foundation
import HTTPTypes
import TestSupport
import Testing

/// Tests of events that all streams of one value share.
@Suite(.timeLimit(.minutes(5))) struct EncodedEventsTests {
    private let encodings = Encodings()
    private let text = Text()
    private let spy = SpyDispatcher()
    private let cached: CachingDispatcher

    init() throws {
        let (text, encodings) = (text, encodings)
        spy.stub(WatchText.self) { _ in LoadText.Value(text: text.value, encodings: encodings) }
        spy.stub(RewriteText.self) { text.set($0.text) }
        cached = try spy.caching(in: .memory(limit: .entries(100))) {
            Cache(WatchText.self, .untilInvalidated, scope: .shared)
            Invalidate(WatchText.self, after: RewriteText.self)
            OptimisticUpdate(WatchText.self, by: RewriteText.self) { text, _, command in text.text = command.text }
        }
    }

    /// Opens a stream.
    private func open(_ service: HTTPService) async throws -> Texts {
        var request = HTTPRequest(method: .get, scheme: "http", authority: "localhost", path: "/watched")
        request.headerFields[.accept] = "text/event-stream"
        let (response, body) = await service.respond(to: request)
        try #require(response.status == .ok)
        return Texts(of: body)
    }

    private func open(_ service: HTTPService, count: Int) async throws -> [Texts] {
        var streams: [Texts] = []
        for _ in 0..<count { streams.append(try await open(service)) }
        return streams
    }

    private func service(_ dispatcher: any Dispatcher) throws -> HTTPService {
        let options = MountOptions(live: LiveOptions(streamsPerClient: 2_000))
        return try HTTPService(.open { WatchText.self }, dispatcher, options: options) { _ in }
    }

    @Test(arguments: [1, 1_000])
    func `all observers of a value share one load and one encoding`(count: Int) async throws {
        let service = try service(cached)
        let streams = try await open(service, count: count)
        for stream in streams { #expect(try await stream.next() == "Duet") }
        #expect(encodings.count == 1)
        #expect(spy.messages(of: WatchText.self).count == 1)

        text.set("CQS")
        cached.cache.invalidateAll()
        for stream in streams { #expect(try await stream.next() == "CQS") }
        #expect(encodings.count == 2)

        // An equal value is sent to nobody, and encoded once at most.
        cached.cache.invalidateAll()
        _ = try await cached.dispatch(WatchText())
        text.set("Swift")
        cached.cache.invalidateAll()
        for stream in streams { #expect(try await stream.next() == "Swift") }
        #expect(encodings.count <= 4)
        #expect(spy.messages(of: WatchText.self).count == 4)
    }

    @Test func `a change of a command that has not ended is encoded for each, and then again for all`() async throws {
        let service = try service(cached)
        let streams = try await open(service, count: 3)
        for stream in streams { #expect(try await stream.next() == "Duet") }
        let (gate, text) = (Gate(), text)
        spy.stub(RewriteText.self) { _ in
            try await gate.pass()
            text.set("Final")
        }
        let command = Task { [cached] in try await cached.dispatch(RewriteText(text: "Draft")) }
        for stream in streams { #expect(try await stream.next() == "Draft") }
        #expect(encodings.count == 4)
        gate.open()
        try await command.value
        for stream in streams { #expect(try await stream.next() == "Final") }
        #expect(encodings.count == 5)
    }

    @Test func `the events of a principal know him, and so does the content that is kept with them`() async throws {
        let (text, encodings) = (text, encodings)
        let own = try spy.caching(in: .memory(limit: .entries(100))) {
            Cache(WatchText.self, .untilInvalidated, scope: .principal)
        }
        let tokens = StaticTokenAuthenticator([TokenHash(of: "ada"): Principal(id: "ada")])
        let service = try HTTPService(.open { WatchText.self }, own, authenticator: tokens) { _ in }
        var request = HTTPRequest(method: .get, scheme: "http", authority: "localhost", path: "/watched")
        request.headerFields = [.authorization: "Bearer ada", .accept: "text/event-stream"]
        let stream = Texts(of: await service.respond(to: request).1)
        #expect(try await stream.next() == "Duet")
        text.set("CQS")
        own.cache.invalidateAll()
        #expect(try await stream.next() == "CQS")
        #expect(stream.principals == ["ada", "ada"])
        #expect(try await service.load("/watched", .get, as: "ada").payload?.principal == "ada")
        #expect(encodings.count == 2)
    }

    @Test func `a layer that may change values has each event encoded`() async throws {
        let service = try service(
            cached.intercepting(WatchText.self) { query, next in
                var text = try await next.dispatch(query)
                text.text = text.text.uppercased()
                return text
            }
        )
        let streams = try await open(service, count: 3)
        for stream in streams { #expect(try await stream.next() == "DUET") }
        text.set("cqs")
        cached.cache.invalidateAll()
        for stream in streams { #expect(try await stream.next() == "CQS") }
        #expect(encodings.count >= 6)
    }
}

/// The texts of the events of one stream.
private final class Texts: Sendable {
    private struct State {
        var texts: [String] = []
        var principals: [String?] = []
        var read = 0
    }

    private let state: Monitor<State>
    private let reading: Task<Void, any Error>

    init(of body: HTTPBody) {
        let state = Monitor(State())
        self.state = state
        reading = Task {
            var parser = EventParser(limit: 10_000)
            for try await piece in body {
                for case let data? in try parser.read(piece).map(\.data) {
                    let payload = try JSONDecoder().decode(LoadText.Payload.self, from: data)
                    state.update { state in
                        state.texts.append(payload.text)
                        state.principals.append(payload.principal)
                    }
                }
            }
        }
    }

    deinit { reading.cancel() }

    var principals: [String?] { state.read(\.principals) }

    /// Waits for the text of the next event.
    func next() async throws -> String {
        let text = try await state.wait { $0.texts.count > $0.read ? $0.texts[$0.read] : nil }
        state.update { $0.read += 1 }
        return text
    }
}
