import Duet
import DuetCaching
import DuetDependencies
import DuetHTTP
import DuetTesting
import Foundation
import HTTPTypes
import TestSupport
import Testing

/// Tests of contents that a service keeps beside the values of a cache.
@Suite struct EncodedOnceTests {
    private let world: TextWorld

    init() throws {
        world = try TextWorld()
    }

    // MARK: Once

    @Test func `a cached value is encoded once for all, also for HEAD and 304, which have the fields of before`()
        async throws
    {
        let service = try world.service(world.cached())
        let first = try await service.load()
        let tag = try #require(first.response.headerFields[.eTag])

        let (second, head) = (try await service.load(), try await service.load("/texts/1", .head))
        let unchanged = try await service.load("/texts/1", .get, [.ifNoneMatch: tag])

        #expect(world.encodings.count == 1)
        #expect(first.payload?.text == "Duet")
        #expect(second.content == first.content)
        #expect(second.response == first.response)
        #expect(head.response == first.response)
        #expect(head.content.isEmpty)
        #expect(unchanged.response.status == .notModified)
        #expect(unchanged.response.headerFields[.eTag] == tag)
        let plain = try await world.service(world.cached(), keepsContents: false).load()
        #expect(plain.content == first.content)
        #expect(plain.response.headerFields[.eTag] == tag)
    }

    @Test func `of many that ask at once, one encodes`() async throws {
        let service = try world.service(world.cached())
        let contents = try await withThrowingTaskGroup(of: Data.self) { group in
            for _ in 0..<100 { group.addTask { try await service.load().content } }
            return try await group.reduce(into: Set<Data>()) { $0.insert($1) }
        }
        #expect(contents.count == 1)
        #expect(world.encodings.count == 1)
    }

    @Test func `each mount and each query has its own, and each value`() async throws {
        let cached = try world.cached()
        let services = [try world.service(cached), try world.service(cached)]
        for service in services + services { #expect(try await service.load().payload?.text == "Duet") }
        #expect(world.encodings.count == 2)
        _ = try await services[0].load("/texts/2")
        #expect(world.encodings.count == 3)

        try await cached.dispatch(RewriteText(text: "CQS"))
        for _ in 0..<2 { #expect(try await services[0].load().payload?.text == "CQS") }
        #expect(world.encodings.count == 4)
    }

    @Test func `a route or a mount can encode each time`() async throws {
        let service = try world.service(world.cached())
        for _ in 0..<2 { #expect(try await service.load("/each").payload?.text == "Duet") }
        #expect(world.encodings.count == 2)
        let other = try world.service(world.cached(), keepsContents: false)
        for _ in 0..<2 { _ = try await other.load() }
        #expect(world.encodings.count == 4)
    }

    @Test func `a failed encoding is not kept`() async throws {
        let service = try world.service(world.cached())
        world.text.set("")
        for _ in 0..<2 { #expect(try await service.load().response.status == .internalServerError) }
        #expect(world.encodings.count == 2)
    }

    // MARK: Layers

    private struct Shouting: Middleware {
        func dispatch<M: Message>(_ message: M, next: some Dispatcher) async throws -> M.Value {
            let value = try await next.dispatch(message)
            guard var text = value as? LoadText.Value else { return value }
            text.text = text.text.uppercased()
            return text as? M.Value ?? value
        }
    }

    private struct Passing: ValuePreservingMiddleware {
        func dispatch<M: Message>(_ message: M, next: some Dispatcher) async throws -> M.Value {
            try await next.dispatch(message)
        }
    }

    private struct ByHand: Dispatcher {
        let next: any Dispatcher

        func dispatch<M: Message>(_ message: M) async throws -> M.Value { try await next.dispatch(message) }
    }

    /// It promises what it does not do.
    private struct Misleading: ValuePreservingMiddleware {
        let repeats: Bool

        func dispatch<M: Message>(_ message: M, next: some Dispatcher) async throws -> M.Value {
            if repeats { _ = try await next.dispatch(message) }
            let other = LoadText(id: 2)
            guard !repeats, let value = try await next.dispatch(other) as? M.Value else {
                return try await next.dispatch(message)
            }
            return value
        }
    }

    @Test func `a layer that may change values has them encoded each time, as it returns them`() async throws {
        let cached = try world.cached()
        let changing: [any Dispatcher] = [
            cached.with(Shouting()), cached.with(Shouting()).with(Passing()), cached.with(Passing()).with(Shouting()),
            cached.intercepting(LoadText.self) { query, next in
                var text = try await next.dispatch(query)
                text.text = "DUET"
                return text
            },
        ]
        for dispatcher in changing {
            let (service, before) = (try world.service(dispatcher), world.encodings.count)
            for _ in 0..<2 { #expect(try await service.load().payload?.text == "DUET") }
            #expect(world.encodings.count == before + 2)
        }
        let handled = try StandardDispatcher { Shouted(cached: cached) }
        let (service, before) = (try HTTPService(.open { LoadText.self }, handled) { _ in }, world.encodings.count)
        for _ in 0..<2 { #expect(try await service.load().payload?.text == "DUET") }
        #expect(world.encodings.count == before + 2)
    }

    private struct Shouted: QueryHandler {
        let cached: CachingDispatcher

        func handle(_ query: LoadText) async throws -> LoadText.Value {
            var text = try await cached.dispatch(query)
            text.text = text.text.uppercased()
            return text
        }
    }

    @Test func `a dispatcher by hand has values encoded each time`() async throws {
        let service = try world.service(ByHand(next: world.cached()))
        for _ in 0..<2 { #expect(try await service.load().payload?.text == "Duet") }
        #expect(world.encodings.count == 2)
    }

    @Test func `Duet's own layers pass values on, and one that says so`() async throws {
        let api = MessageAPI("texts") { LoadText.authorized(.open) }
        let cached = try world.cached()
        let passing: [any Dispatcher] = [
            cached.with(LoggingMiddleware { _ in }), cached.with(RetryMiddleware()),
            cached.with(TimeoutMiddleware(.seconds(600))), cached.with(ValidationMiddleware()),
            cached.authorizing(api), cached.with(Passing()), cached.after(LoadText.self) { _, _ in },
            cached.intercepting(LoadTextEachTime.self) { try await $1.dispatch($0) },
            try cached.caching(in: .memory(limit: .entries(10))) {},
        ]
        for dispatcher in passing {
            let (service, before) = (try world.service(dispatcher), world.encodings.count)
            for _ in 0..<2 { #expect(try await service.load().payload?.text == "Duet") }
            #expect(world.encodings.count == before + 1)
        }
    }

    @Test(arguments: [true, false])
    func `a container's dispatcher passes values on, and asks its layers`(isChanging: Bool) async throws {
        let (text, encodings) = (world.text, world.encodings)
        let cache = try QueryCache(in: .memory(limit: .entries(10))) {
            Cache(LoadText.self, .untilInvalidated, scope: .shared)
        }
        let builder = ContainerBuilder()
        builder.transient { TextHandler(text: text, encodings: encodings) }
        if isChanging { builder.middleware(Shouting()) }
        builder.middleware(LoggingMiddleware { _ in }, cache)
        builder.handlers { TextHandler.self }
        let container = try builder.build()
        let service = try HTTPService(.open { LoadText.self }, await container.dispatcher) { _ in }
        for _ in 0..<2 { #expect(try await service.load().payload?.text == (isChanging ? "DUET" : "Duet")) }
        #expect(world.encodings.count == (isChanging ? 2 : 1))
        await container.dispose()
    }

    @Test(arguments: [true, false])
    func `the value of another query, or of another dispatch, is encoded for itself`(repeats: Bool) async throws {
        let service = try world.service(world.cached().with(Misleading(repeats: repeats)))
        for _ in 0..<2 { #expect(try await service.load().payload?.text == "Duet") }
        #expect(world.encodings.count == 2)
    }

    // MARK: Nobody's bytes

    @Test func `what is kept for all tells nothing about the one who asked first`() async throws {
        let service = try world.service(world.cached())
        let first = try await Encodings.$language.withValue("de") {
            try await service.load("/texts/1", .get, as: "ada", [.known("Request-Timeout"): "600000"])
        }
        #expect(first.payload?.principal == nil)
        #expect(first.payload?.language == "en")
        #expect(first.payload?.isLate == false)
        #expect(try await service.load(as: "bob").content == first.content)
        #expect(world.encodings.count == 1)
    }

    @Test func `what is kept for one principal knows him, and nobody else gets it`() async throws {
        let service = try world.service(world.cached(scope: .principal))
        for user in ["ada", "bob", nil, "ada", "bob", nil] {
            let loaded = try await Encodings.$language.withValue("de") { try await service.load(as: user) }
            #expect(loaded.payload?.principal == user)
            #expect(loaded.payload?.language == "en")
        }
        #expect(world.encodings.count == 3)
    }

    @Test func `a custom scope is not that of a principal`() async throws {
        let service = try world.service(world.cached(scope: .named { "tenant" }))
        for user in ["ada", "bob"] { #expect(try await service.load(as: user).payload?.principal == nil) }
        #expect(world.encodings.count == 1)
    }

    @Test func `what is encoded for itself knows its caller`() async throws {
        let service = try world.service(world.cached(), keepsContents: false)
        for user in ["ada", "bob"] {
            let loaded = try await Encodings.$language.withValue("de") { try await service.load(as: user) }
            #expect(loaded.payload?.principal == user)
            #expect(loaded.payload?.language == "de")
        }
    }

    // MARK: Memory

    @Test func `contents count as a part of the weight of their values`() async throws {
        world.text.set(String(repeating: "a", count: 400))
        // Ten values have room, or two with their contents of about 500 bytes.
        let cached = try world.cached(in: .memory(limit: .weight(1_200)))
        for id in 0..<10 { _ = try await cached.dispatch(LoadText(id: id)) }
        #expect(cached.cache.count == 10)
        let service = try world.service(cached)
        for id in 0..<10 {
            #expect(try await service.load("/texts/\(id)").payload?.text == world.text.value)
            #expect(cached.cache.count >= 1)
        }
        #expect(cached.cache.count <= 7)
        #expect(world.encodings.count == 10)
    }

    @Test func `the content of a value that would not fit beside it is not kept`() async throws {
        world.text.set(String(repeating: "a", count: 2_000))
        let cached = try world.cached(in: .memory(limit: .weight(1_200)))
        let service = try world.service(cached)
        for _ in 0..<3 { #expect(try await service.load().payload?.text == world.text.value) }
        #expect(world.encodings.count == 3)
        // Other values have the room that it does not take.
        for id in 0..<12 { _ = try await cached.dispatch(LoadText(id: id)) }
        #expect(cached.cache.count == 12)
    }

    @Test func `a large content takes the place of the oldest ones, and not of all`() async throws {
        world.text.set(String(repeating: "a", count: 400))
        let service = try world.service(world.cached(in: .memory(limit: .entries(100, encoded: 10_000))))
        for id in 0..<20 { _ = try await service.load("/texts/\(id)") }
        world.text.set(String(repeating: "b", count: 3_000))
        _ = try await service.load("/texts/50")
        #expect(world.encodings.count == 21)
        for id in 10..<20 { _ = try await service.load("/texts/\(id)") }
        #expect(world.encodings.count == 21)
        _ = try await service.load("/texts/0")
        #expect(world.encodings.count == 22)
    }

    @Test func `with a limit of entries, the oldest contents make room`() async throws {
        world.text.set(String(repeating: "a", count: 400))
        let cached = try world.cached(in: .memory(limit: .entries(100, encoded: 1_000)))
        let service = try world.service(cached)
        for id in [1, 2, 1, 2] { _ = try await service.load("/texts/\(id)") }
        #expect(world.encodings.count == 2)
        for id in [3, 3, 2, 3] { _ = try await service.load("/texts/\(id)") }
        #expect(world.encodings.count == 3)
        _ = try await service.load("/texts/1")
        #expect(world.encodings.count == 4)
        #expect(cached.cache.count == 3)
        // A large content takes the place of the oldest ones, and not of all.
        world.text.set(String(repeating: "c", count: 700))
        for id in [5, 5, 1, 3] { _ = try await service.load("/texts/\(id)") }
        #expect(world.encodings.count == 7)
        let before = world.encodings.count
        // Contents that go away with their values leave room.
        for number in 0..<300 {
            try await cached.dispatch(RewriteText(text: String(repeating: "b", count: 400 + number % 3)))
            for _ in 0..<2 { _ = try await service.load() }
        }
        #expect(world.encodings.count == before + 300)
    }
}
