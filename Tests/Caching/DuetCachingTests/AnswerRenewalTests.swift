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
            var holdsValues = true
            var failure: (any Error)?
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
                    value = try state.withLock { state in
                        state.requests.append(Principal.current?.id ?? "load")
                        if let failure = state.failure { throw failure }
                        return state.text
                    }
                }
            case let command as WritePage:
                let (gate, version, holdsValues) = state.withLock { state in
                    state.requests.append("write")
                    state.text = command.text
                    return (state.gate.take(), state.version, state.holdsValues)
                }
                try await gate?.pass()
                CommandVersion.current?.note(version)
                let response = AnswerResponse(command.text, of: version, from: self)
                CommandAnswer<WritePage>.current?.note(LoadPage(), in: holdsValues ? response : nil)
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

    /// Answers a command, and does something else before its response arrives.
    private func answer(
        by cache: CachingDispatcher,
        _ version: Int? = nil,
        meanwhile body: () async throws -> Void
    ) async throws -> String {
        let gate = Gate()
        server.state.withLock {
            $0.gate = gate
            $0.version = version.map { LiveServer.version($0) }
        }
        async let answer = cache.answer(to: WritePage(text: "A"))
        await gate.arrivals(1)
        try await body()
        gate.open()
        return try await answer
    }

    @Test(arguments: [(2, ["write", "load"]), (3, ["write"])])
    func `the version of a value decides whether it is as new as another command`(
        _ version: Int,
        _ requests: [String]
    ) async throws {
        let cache = try caching()
        let value = try await answer(by: cache, version) {
            cache.cache.apply(.query(name: LoadPage.messageName), LiveServer.version(3))
        }
        #expect(value == "A")
        #expect(try await cache.dispatch(LoadPage()) == "A")
        #expect(server.requests == requests)
    }

    @Test func `a version tells nothing about an invalidation without one`() async throws {
        let cache = try caching()
        #expect(try await answer(by: cache, 5) { cache.cache.invalidate(tag: "unrelated") } == "A")
        #expect(try await cache.dispatch(LoadPage()) == "A")
        #expect(server.requests == ["write", "load"])
    }

    @Test(arguments: [5, nil])
    func `a value is not kept after the removal of everything`(_ version: Int?) async throws {
        let cache = try caching()
        var states = cache.observe(LoadPage()).makeAsyncIterator()
        while await states.next()?.value != "blank" {}
        server.state.withLock { $0.text = "other" }
        #expect(try await answer(by: cache, version) { try await cache.cache.removeAll() } == "A")
        server.state.withLock { $0.text = "other" }
        while await states.next()?.value != "other" {}
        #expect(try await cache.dispatch(LoadPage()) == "other")
    }

    @Test func `a value that may be older has no version for others`() async throws {
        let cache = try caching()
        let (gate, reading) = (Gate(), CommandAnswer<WritePage>())
        server.state.withLock { $0.gate = gate }
        async let sending: Void = reading.noted { try await cache.dispatch(WritePage(text: "A")) }
        await gate.arrivals(1)
        cache.cache.invalidate(tag: "unrelated")
        gate.open()
        try await sending
        let offer = AnswerOffer(reading.takeResponse(to: LoadPage()), of: LoadPage())
        let (value, version) = try await offer.run { try await cache.versioned(LoadPage()) }
        #expect(value == "A")
        #expect(version == nil)
    }

    @Test func `values of other principals are invalidated, too`() async throws {
        let cache = try caching()
        try await withPrincipal(Principal(id: "bob")) { _ = try await cache.dispatch(LoadPage()) }
        try await withPrincipal(Principal(id: "ada")) { try await cache.dispatch(WritePage(text: "A")) }
        try await withPrincipal(Principal(id: "bob")) { try await #expect(cache.dispatch(LoadPage()) == "A") }
        #expect(server.requests == ["bob", "write", "bob"])
    }

    @Test func `a command of another cache invalidates its answer`() async throws {
        let cache = try caching()
        #expect(try await cache.dispatch(LoadPage()) == "blank")
        server.state.withLock { $0.text = "A" }
        cache.cache.apply(.command(WritePage(text: "A")))
        #expect(try await cache.dispatch(LoadPage()) == "A")
    }

    @Test func `an older value that replaces a failed load is no answer`() async throws {
        let page = try server.caching(in: .memory(limit: .entries(10))) {
            Cache(LoadPage.self, .maxAge(.minutes(5)).staleIfError(.minutes(5)))
        }
        #expect(try await page.dispatch(LoadPage()) == "blank")
        server.state.withLock {
            $0.holdsValues = false
            $0.failure = NoConnection()
        }
        let error = await #expect(throws: AnswerUnavailable.self) { try await page.answer(to: WritePage(text: "A")) }
        #expect(error?.reason is NoConnection)
        #expect(try await page.dispatch(LoadPage()) == "blank")
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

    @Test func `a queued command leaves its dispatcher and its queue free`() async throws {
        let world = try QueueWorld()
        world.server.isOffline = true
        let queue = CommandQueue(in: InMemoryCommandStore(), clock: world.clock)
        var cache: CachingDispatcher?
        cache = try world.server.queueing(in: queue) { Enqueue(StoredPage.self, version: 1) }
            .caching(in: .memory(limit: .entries(10))) { Cache(LoadPage.self, .maxAge(.minutes(5))) }
        try await cache?.dispatch(StoredPage())
        #expect(queue.commands.count == 1)
        cache = nil
        _ = try world.server.queueing(in: queue) { Enqueue(StoredPage.self, version: 1) }
    }

    @Test func `a queued command has no answer for a server's client`() async throws {
        let world = try QueueWorld()
        let queueing = try world.server.queueing(in: CommandQueue(in: InMemoryCommandStore())) {
            Enqueue(StoredPage.self, version: 1)
        }
        let answer = CommandAnswer<StoredPage>(outer: nil)
        try await answer.noted { try await queueing.dispatch(StoredPage()) }
        #expect(throws: (any Error).self) { try answer.query(of: StoredPage()) }
        await queueing.queue.waitUntilSettled()
    }

    private struct StoredPage: AnsweredCommand, Codable {
        func answer(from content: String?) -> LoadPage? { LoadPage() }
    }

    private struct FailingDispatcher: Dispatcher {
        func dispatch<M: Message>(_ message: M) async throws -> M.Value { throw NoConnection() }
    }
}
