import Duet
import DuetCaching
import DuetTesting
import Synchronization
import TestSupport
import Testing

/// Tests of the values that the responses to commands hold.
@Suite(.timeLimit(.minutes(5)))
struct AnswerRenewalTests {
    private struct LoadPage: PayloadQuery, Hashable {
        typealias Value = String
        var number = 1
    }

    private struct WritePage: AnsweredCommand {
        let text: String
        func answer(from content: String?) -> LoadPage? { LoadPage() }
    }

    private struct OtherCommand: Command {}

    /// Returns the text of a page with the response to the command that writes it.
    private final class PageServer: Dispatcher {
        struct State {
            var text = "blank"
            var requests: [String] = []
            var gate: Gate?
            var version: CacheVersion?
        }

        let state = Mutex(State())

        var requests: [String] { state.withLock(\.requests) }

        func dispatch<M: Message>(_ message: M) async throws -> M.Value {
            let value: Any
            switch message {
            case let query as LoadPage:
                if let response = AnswerOffer.take(query, at: self) {
                    Reading.current(of: M.self)?.note(response.version)
                    value = response.content
                } else {
                    value = state.withLock { state in
                        state.requests.append(Principal.current?.id ?? "load")
                        return state.text
                    }
                }
            case let command as WritePage:
                let (gate, version) = state.withLock { state in
                    state.requests.append("write")
                    state.text = command.text
                    return (state.gate.take(), state.version)
                }
                try await gate?.pass()
                CommandVersion.current?.note(version)
                CommandAnswer<WritePage>.current?.note(
                    LoadPage(),
                    in: AnswerResponse(command.text, of: version, from: self)
                )
                value = ()
            default: value = ()
            }
            guard let value = value as? M.Value else { throw NoConnection() }
            return value
        }
    }

    private let server = PageServer()

    private func caching(
        @ListBuilder<CacheRule> _ rules: () -> [CacheRule] = { [] }
    ) throws -> CachingDispatcher {
        try server.caching(in: .memory(limit: .entries(10))) {
            Cache(LoadPage.self, .maxAge(.minutes(5)))
            for rule in rules() { [rule] }
        }
    }

    @Test func `the value of a response is loaded after the rules of its command, and kept`() async throws {
        let cache = try caching()
        #expect(try await cache.dispatch(LoadPage()) == "blank")
        try await cache.dispatch(WritePage(text: "A"))
        #expect(try await cache.dispatch(LoadPage()) == "A")
        #expect(server.requests == ["load", "write"])
    }

    @Test func `a value that may be older than another command is returned, and not kept`() async throws {
        let cache = try caching()
        let gate = Gate()
        server.state.withLock { $0.gate = gate }
        async let answer = cache.answer(to: WritePage(text: "A"))
        await gate.arrivals(1)
        cache.cache.invalidate(tag: "unrelated")
        server.state.withLock { $0.text = "B" }
        gate.open()
        #expect(try await answer == "A")
        #expect(try await cache.dispatch(LoadPage()) == "B")
        #expect(server.requests == ["write", "load"])
    }

    @Test func `the version of a value decides, if it has one`() async throws {
        let cache = try caching()
        let gate = Gate()
        let version = LiveServer.version(2)
        server.state.withLock {
            $0.gate = gate
            $0.version = version
        }
        async let answer = cache.answer(to: WritePage(text: "A"))
        await gate.arrivals(1)
        cache.cache.invalidate(tag: "unrelated")
        gate.open()
        #expect(try await answer == "A")
        #expect(try await cache.dispatch(LoadPage()) == "A")
        #expect(server.requests == ["write"])
    }

    @Test func `observers of another principal load the value themselves`() async throws {
        let cache = try caching { Invalidate(LoadPage.self, after: WritePage.self) }
        var states = await withPrincipal(Principal(id: "ada")) { cache.observe(LoadPage()) }.makeAsyncIterator()
        while await states.next()?.value != "blank" {}
        try await withPrincipal(Principal(id: "bob")) {
            try await #expect(cache.answer(to: WritePage(text: "A")) == "A")
        }
        while await states.next()?.value != "A" {}
        #expect(server.requests == ["ada", "write", "ada"])
    }

    @Test func `a response is preferred to a refresh of the kept value`() async throws {
        let cache = try server.caching(in: .memory(limit: .entries(10))) {
            Cache(LoadPage.self, .maxAge(.minutes(5)), refresh: { _, _, _ in "refreshed" })
        }
        #expect(try await cache.dispatch(LoadPage()) == "blank")
        #expect(try await cache.answer(to: WritePage(text: "A")) == "A")
        #expect(try await cache.read(LoadPage(), .fresh).value == "refreshed")
    }

    @Test func `a value that no cache keeps is returned from the response`() async throws {
        let cache = try server.caching(in: .memory(limit: .entries(10))) {
            Cache(LoadPage.self, .maxAge(.zero))
        }
        #expect(try await cache.answer(to: WritePage(text: "A")) == "A")
        #expect(server.requests == ["write"])
        let other = try server.caching(in: .memory(limit: .entries(10))) {
            Cache(LoadNote.self, .maxAge(.minutes(5)))
        }
        #expect(try await other.answer(to: WritePage(text: "B")) == "B")
        #expect(server.requests == ["write", "write"])
    }

    @Test func `a failed command leaves no value that it may have changed`() async throws {
        let cache = try caching()
        _ = try await cache.dispatch(LoadPage())
        await #expect(throws: NoConnection.self) {
            try await cache.cache.dispatch(WritePage(text: "A"), next: FailingDispatcher())
        }
        #expect(try await cache.dispatch(LoadPage()) == "blank")
        #expect(server.requests == ["load", "load"])
    }

    @Test func `a queued command has no answer, and is not queued for one`() async throws {
        let world = try QueueWorld()
        let queueing = try world.server.queueing(in: CommandQueue(in: InMemoryCommandStore())) {
            Enqueue(StoredPage.self, version: 1)
        }
        let cache = try queueing.caching(in: .memory(limit: .entries(10))) {
            Cache(LoadPage.self, .maxAge(.minutes(5)))
        }
        let error = await #expect(throws: (any Error).self) { try await cache.answer(to: StoredPage()) }
        #expect(error.map { "\($0)".contains("is queued, and has no answer") } == true)
        #expect(queueing.queue.commands.isEmpty)
        try await cache.dispatch(StoredPage())
        await queueing.queue.waitUntilSettled()
        #expect(world.server.carriedOut == ["like"])
    }

    private struct StoredPage: AnsweredCommand, Codable {
        func answer(from content: String?) -> LoadPage? { LoadPage() }
    }

    private struct FailingDispatcher: Dispatcher {
        func dispatch<M: Message>(_ message: M) async throws -> M.Value { throw NoConnection() }
    }
}
