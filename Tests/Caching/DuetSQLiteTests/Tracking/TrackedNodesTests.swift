import Duet
import DuetCaching
import DuetCluster
import DuetClusterEngine
import DuetHTTP
import DuetHummingbird
import DuetSQLite
import DuetTesting
import FeedTesting
import Foundation
import GRDB
import HTTPTypes
import Hummingbird
import Synchronization
import TestSupport
import Testing

/// Tests of caches without rules in front of nodes, which learn from replies and events what was read and written.
@Suite(.timeLimit(.minutes(5)))
struct TrackedNodesTests {
    private let service: TrackedService
    private let cluster = InProcessCluster()
    private let title = LoadTitle(id: 1)
    private let seats = LoadSeats(id: 1)
    private let rename = Rename(id: 1, title: "Trio")

    init() throws {
        service = try TrackedService()
    }

    /// A node with a cache, which sends all messages to others.
    private struct Page {
        let dispatcher: CachingDispatcher
        private let invalidation: ClusterInvalidation

        init(
            _ engine: any ClusterEngine,
            _ messages: MessageAPI = TrackedService.api,
            seats: CachePolicy<Int>? = nil,
            @ListBuilder<CacheRule> rules: () -> [CacheRule] = { [] }
        ) throws {
            let rules = rules()
            dispatcher = try ClusterDispatcher(TrackedService.api, on: engine, options: .patient)
                .caching(in: .memory(limit: .entries(100))) {
                    Cache(LoadTitle.self)
                    Cache(LoadSeats.self, seats)
                    rules
                }
            invalidation = try ClusterInvalidation(messages, of: dispatcher.cache, on: engine)
        }

        func run() async throws { try await invalidation.run() }

        /// Loads a value until it is kept, which is when the node follows the events.
        func fill<Q: Query & Hashable>(_ query: Q) async throws where Q.Value: Sendable & Equatable {
            while try await dispatcher.cache.peek(query) != dispatcher.dispatch(query) { await Task.yield() }
        }

        func becomesStale<Q: Query & Hashable>(_ query: Q) async where Q.Value: Sendable {
            while dispatcher.cache.peek(query) != nil { await Task.yield() }
        }
    }

    private func page(
        seats: CachePolicy<Int>? = nil,
        @ListBuilder<CacheRule> _ rules: () -> [CacheRule] = { [] }
    ) throws -> Page {
        try Page(cluster.node(), seats: seats, rules: rules)
    }

    /// Runs a worker that handles the service's messages, and pages.
    private func run(
        _ pages: [Page],
        handlingIn worker: ClusterWorker? = nil,
        _ body: () async throws -> Void
    ) async throws {
        let worker = try worker ?? self.worker()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await worker.run() }
            for page in pages { group.addTask { try await page.run() } }
            try await body()
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    private func worker(caches: [QueryCache] = []) throws -> ClusterWorker {
        try ClusterWorker(TrackedService.api, service.handlers, on: cluster, caches: caches, options: .patient)
    }

    @Test func `a command of one page makes stale at another what it has written, and nothing else`() async throws {
        let (first, second) = (try page(), try page())
        try await run([first, second]) {
            for page in [first, second] {
                try await page.fill(title)
                try await page.fill(seats)
            }
            try await first.dispatcher.dispatch(rename)
            // The sender learns it from the reply.
            #expect(first.dispatcher.cache.peek(title) == nil)
            #expect(try await first.dispatcher.dispatch(title) == "Trio")
            await second.becomesStale(title)
            #expect(try await second.dispatcher.dispatch(title) == "Trio")
            #expect(first.dispatcher.cache.peek(seats) == 10)
            #expect(second.dispatcher.cache.peek(seats) == 10)
        }
    }

    @Test func `a rule narrows the writes of its command on each node that knows it`() async throws {
        let rule = { Invalidate(LoadTitle.self, after: Rename.self) { $0.id == $1.id } }
        let (first, second) = (try page { rule() }, try page { rule() })
        let unknowing = try Page(cluster.node(), MessageAPI("queries", authorized: .open) { LoadTitle.self })
        try await run([first, second, unknowing]) {
            for page in [first, second, unknowing] {
                for id in 1...2 { try await page.fill(LoadTitle(id: id)) }
                try await page.fill(seats)
            }
            try await first.dispatcher.dispatch(rename)
            await second.becomesStale(title)
            for page in [first, second] {
                #expect(page.dispatcher.cache.peek(title) == nil)
                #expect(page.dispatcher.cache.peek(LoadTitle(id: 2)) == "Solo")
            }
            await unknowing.becomesStale(title)
            #expect(unknowing.dispatcher.cache.peek(LoadTitle(id: 2)) == nil)
            // It does not list the command, and needs to know only what was written.
            #expect(unknowing.dispatcher.cache.peek(seats) == 10)
        }
    }

    @Test func `a command that has written and failed makes stale what it has written`() async throws {
        service.handlers.stub(Rename.self) { [service] _ in
            try await service.world.database.write { try $0.execute(sql: "UPDATE talk SET title = 'Trio'") }
            throw NoTalk()
        }
        let (first, second) = (try page(), try page())
        try await run([first, second]) {
            for page in [first, second] {
                try await page.fill(title)
                try await page.fill(seats)
            }
            await #expect(throws: NoTalk.self) { try await first.dispatcher.dispatch(rename) }
            #expect(first.dispatcher.cache.peek(title) == nil)
            await second.becomesStale(title)
            for page in [first, second] { #expect(page.dispatcher.cache.peek(seats) == 10) }
        }
    }

    @Test func `a command that is delivered again makes everything stale, because an earlier attempt may have written`()
        async throws
    {
        let attempts = Mutex(0)
        service.handlers.stub(Rename.self) { [service] _ in
            // The second attempt finds that its work was done.
            guard
                attempts.withLock({
                    $0 += 1; return $0
                }) == 1
            else { return }
            try await service.world.database.write { try $0.execute(sql: "UPDATE talk SET title = 'Trio'") }
            throw CancellationError()
        }
        let (first, second) = (try page(), try page())
        try await run([first, second]) {
            for page in [first, second] { try await page.fill(title) }
            try await first.dispatcher.dispatch(rename)
            #expect(first.dispatcher.cache.peek(title) == nil)
            await second.becomesStale(title)
            #expect(try await second.dispatcher.dispatch(title) == "Trio")
        }
    }

    @Test func `a command that is delivered again makes everything stale at the node that handles it, too`()
        async throws
    {
        let attempts = Mutex(0)
        // The first attempt may have been that of another node with the same file.
        service.handlers.stub(Rename.self) { _ in
            if attempts.withLock({
                $0 += 1; return $0
            }) == 1 {
                throw CancellationError()
            }
        }
        let local = try TrackedWorld().caching()
        let names = Select("SELECT title FROM talk")
        let sender = try ClusterDispatcher(TrackedService.api, on: cluster.node(), options: .patient)
        try await run([], handlingIn: worker(caches: [local.cache])) {
            // The worker follows the events then, and has made everything stale.
            _ = try await sender.dispatch(title)
            _ = try await local.dispatch(names)
            try await sender.dispatch(rename)
            while local.cache.peek(names) != nil { await Task.yield() }
        }
    }

    @Test func `a command that ends during the first load of a value is not forgotten`() async throws {
        let (first, second) = (try page(), try page())
        let gate = Gate()
        let database = service.world.database
        try await run([first, second]) {
            for page in [first, second] { try await page.fill(seats) }
            service.handlers.stub(LoadTitle.self) { _ in
                let title = try await database.read { try String.fetchOne($0, sql: "SELECT title FROM talk") }
                try await gate.pass()
                return title ?? ""
            }
            let load = Task { try await second.dispatcher.read(title) }
            await gate.arrivals(1)
            try await first.dispatcher.dispatch(rename)
            // An event after the one that matters.
            try await first.dispatcher.dispatch(SetSeats(id: 1, seats: 5))
            await second.becomesStale(seats)
            gate.open()
            #expect(try await load.value.isStale)
            #expect(try await second.dispatcher.dispatch(title) == "Trio")
        }
    }

    @Test func `a page that does not follow the events keeps nothing without a policy`() async throws {
        let alone = try page()
        try await run([]) {
            for _ in 1...2 { _ = try await alone.dispatcher.dispatch(title) }
            #expect(service.handlers.messages(of: LoadTitle.self).count == 2)
        }
    }

    @Test func `nothing is fresh when the node no longer follows the events`() async throws {
        let page = try page()
        try await run([page]) { try await page.fill(title) }
        #expect(page.dispatcher.cache.peek(title) == nil)
    }

    @Test func `a value of a node that cannot track what it has read is not kept without a policy`() async throws {
        service.handlers.stub(LoadSeats.self) { _ in
            CacheLoad.current?.readUntracked("rates")
            return 3
        }
        let page = try page()
        try await run([page]) {
            try await page.fill(title)
            _ = try await page.dispatcher.dispatch(seats)
            #expect(page.dispatcher.cache.peek(seats) == nil)
        }
    }

    @Test func `a value with a policy is stale after each write, if it was also made from what nobody can track`()
        async throws
    {
        let database = service.world.database
        service.handlers.stub(LoadSeats.self) { _ in
            CacheLoad.current?.readUntracked("rates")
            return try await database.read { try Int.fetchOne($0, sql: "SELECT seats FROM room") ?? 0 }
        }
        let (first, second) = (try page(seats: .maxAge(.hours(1))), try page(seats: .maxAge(.hours(1))))
        try await run([first, second]) {
            for page in [first, second] {
                try await page.fill(title)
                try await page.fill(seats)
            }
            try await first.dispatcher.dispatch(SetSeats(id: 1, seats: 5))
            #expect(try await first.dispatcher.dispatch(seats) == 5)
            await second.becomesStale(seats)
            #expect(second.dispatcher.cache.peek(title) == "Duet")
        }
    }

    @Test(arguments: [("everything", LoadSeats.messageName), ("by rules", Rename.messageName)])
    func `the rules of a command that cannot be read are everything, also if it names what it has written`(
        change: String,
        message: String
    ) async throws {
        let page = try page()
        try await run([page]) {
            try await page.fill(title)
            let event = [
                "Duet-Event": "ended", "Duet-Message": message, "Duet-Partition": "0", "Duet-Sequence": "1",
                "Duet-Changed": change, "Duet-Node": "other", "Duet-Writes": "",
            ]
            try await cluster.backplane.publish(Envelope(headers: event, body: Data("no command".utf8)))
            await page.becomesStale(title)
        }
    }

    @Test func `a query waits at a node with a cache for the events of the commands that its sender knows`()
        async throws
    {
        let directory = try TemporaryDirectory()
        let path = directory.path("talks.sqlite")
        let (here, there) = (try TrackedWorld(DatabaseQueue(path: path)), try DatabaseQueue(path: path))
        // The other node does not see the writes of this one.
        let other = try TrackedDatabase(there, checkingEvery: nil)
        let handlers = SpyDispatcher()
        handlers.stub(LoadTitle.self) { _ in
            try await other.read { try String.fetchOne($0, sql: "SELECT title FROM talk") ?? "" }
        }
        let local = try handlers.caching(in: .memory(limit: .entries(10)), tracking: other) { Cache(LoadTitle.self) }
        service.handlers.stub(Rename.self) { [database = here.database] command in
            let arguments: StatementArguments = [command.title]
            try await database.write { try $0.execute(sql: "UPDATE talk SET title = ?", arguments: arguments) }
        }
        let commands = MessageAPI("commands", authorized: .open) { Rename.self }
        let queries = MessageAPI("queries", authorized: .open) { LoadTitle.self }
        let gate = Gate()
        let late = LateEvents(base: cluster.node(), gate: gate)
        let workers = [
            try ClusterWorker(commands, service.handlers, on: cluster, options: .patient),
            try ClusterWorker(queries, local, on: late, caches: [local.cache], options: .patient, clock: ManualClock()),
        ]
        let page = try page()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in workers { group.addTask { try await worker.run() } }
            group.addTask { try await page.run() }
            try await page.fill(title)
            try await page.dispatcher.dispatch(rename)
            async let value = page.dispatcher.dispatch(title)
            await gate.arrivals(1)
            gate.open()
            #expect(try await value == "Trio")
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    @Test func `a command of a node that tracks nothing makes everything stale`() async throws {
        let page = try page()
        try await run([page]) {
            try await page.fill(title)
            // As of a version that sends no names.
            let event = [
                "Duet-Event": "ended", "Duet-Message": "Other", "Duet-Partition": "0", "Duet-Sequence": "1",
                "Duet-Changed": "by rules", "Duet-Node": "old",
            ]
            try await cluster.backplane.publish(Envelope(headers: event))
            await page.becomesStale(title)
        }
    }

    @Test(arguments: ["*", "database/talk", "%", "database/talk/%FF"])
    func `names that nobody understands are everything`(names: String) async throws {
        let page = try page()
        try await run([page]) {
            try await page.fill(title)
            let event = ["Duet-Event": "invalidation", "Duet-Writes": names, "Duet-Node": "other"]
            try await cluster.backplane.publish(Envelope(headers: event))
            await page.becomesStale(title)
        }
    }

    @Test func `what a node writes outside of the log reaches the others`() async throws {
        let local = try service.world.caching()
        let page = try page()
        try await run([page], handlingIn: worker(caches: [local.cache])) {
            try await page.fill(title)
            try await page.fill(seats)
            // Again, because the worker may not be connected yet.
            while page.dispatcher.cache.peek(title) != nil {
                try await service.world.database.write { try $0.execute(sql: "UPDATE talk SET title = 'Trio'") }
                await Task.yield()
            }
            #expect(page.dispatcher.cache.peek(seats) == 10)
            #expect(try await page.dispatcher.dispatch(title) == "Trio")
        }
    }

    @Test func `nodes with one file tell each other what they have written`() async throws {
        // A source with the same name, which does not see the writes of the first.
        let local = try TrackedWorld().caching()
        let (names, rooms) = (Select("SELECT title FROM talk"), Select("SELECT seats FROM room"))
        let second = try ClusterInvalidation(TrackedService.api, of: local.cache, on: cluster.node())
        let sender = try ClusterDispatcher(TrackedService.api, on: cluster.node(), options: .patient)
        try await run([]) {
            let following = Task { try await second.run() }
            _ = try await (local.dispatch(names), local.dispatch(rooms))
            while local.cache.peek(names) != nil {
                try await sender.dispatch(rename)
                await Task.yield()
            }
            // The first event that this node followed made everything stale.
            _ = try await (local.dispatch(names), local.dispatch(rooms))
            try await sender.dispatch(Rename(id: 1, title: "Quartet"))
            while local.cache.peek(names) != nil { await Task.yield() }
            #expect(local.cache.peek(rooms) != nil)
            following.cancel()
            try await following.value
        }
    }

    @Test func `a server in front of nodes passes on what they name`() async throws {
        let remote = try ClusterDispatcher(TrackedService.api, on: cluster.node(), options: .patient)
        let gateway = try TrackedService.network(remote)
        let send = { (method: HTTPRequest.Method, path: String, body: String?) in
            var request = HTTPRequest(method: method, scheme: "http", authority: "talks.example", path: path)
            if body != nil { request.headerFields[.contentType] = "application/json" }
            return try await gateway.send(request, body: body.map { HTTPBody(Data($0.utf8)) }).0
        }
        try await run([]) {
            let read = try await send(.get, "/talks/1/title", nil)
            #expect(read.groups != nil)
            // The node's own server names the same groups.
            #expect(try await read.groups == service.send(.get, "/talks/1/title").groups)
            let written = try await send(.put, "/talks/1/title", #"{"title": "Trio"}"#)
            #expect(written.status == .noContent)
            #expect(written.invalidated.map { !Set($0).isDisjoint(with: read.groups ?? []) } == true)
            #expect(written.invalidated?.contains("*") == false)
            let seats = try await send(.get, "/rooms/1/seats", nil)
            #expect(seats.groups.map { Set($0).isDisjoint(with: written.invalidated ?? []) } == true)
        }
    }

    @Test func `a client behind a server in front of nodes follows their commands`() async throws {
        let remote = try ClusterDispatcher(TrackedService.api, on: cluster.node(), options: .patient)
        let gateway = try TrackedService.network(remote)
        let client = try service.client(through: gateway)
        try await run([]) {
            #expect(try await client.dispatch(title) == "Duet")
            #expect(try await client.dispatch(seats) == 10)
            try await client.dispatch(rename)
            #expect(client.cache.peek(title) == nil)
            #expect(client.cache.peek(seats) == 10)
            #expect(try await client.dispatch(title) == "Trio")
        }
    }

    @Test func `an observer of a page sees the commands of another`() async throws {
        let (first, second) = (try page(), try page())
        try await run([first, second]) {
            for page in [first, second] { try await page.fill(title) }
            var values = second.dispatcher.observe(title).values.makeAsyncIterator()
            #expect(try await values.next() == "Duet")
            try await first.dispatcher.dispatch(rename)
            #expect(try await values.next() == "Trio")
        }
    }
}

/// A node that carries out the events after a gate.
private struct LateEvents: ClusterEngine, Backplane {
    let base: InProcessCluster
    let gate: Gate

    var queries: any QueryTransport { base.queries }
    var commands: any CommandLog { base.commands }
    var backplane: any Backplane { self }

    func publish(_ event: Envelope) async throws -> UInt64 { try await base.backplane.publish(event) }

    func follow() async throws -> BackplaneFollower {
        let follower = try await base.backplane.follow()
        let (events, continuation) = AsyncStream<BackplaneEvent>.makeStream()
        let task = Task { [gate] in
            for await event in follower.events {
                try? await gate.pass()
                continuation.yield(event)
            }
        }
        continuation.onTermination = { _ in task.cancel() }
        return BackplaneFollower(start: follower.start, events: events)
    }
}
