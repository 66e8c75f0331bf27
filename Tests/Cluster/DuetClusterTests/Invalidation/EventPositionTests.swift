import Duet
import DuetCaching
import DuetCluster
import DuetClusterEngine
import DuetTesting
import TestSupport
import Testing

/// Tests of caches in front of workers that have caches, too, and follow the events late.
@Suite(.timeLimit(.minutes(5))) struct EventPositionTests {
    private static let commands = MessageAPI("commands", authorized: .open) { AddStock.ordered(by: \.item) }
    private static let queries = MessageAPI("queries", authorized: .open) { LoadStock.self }

    private let shop = Shop()
    private let cluster = InProcessCluster()
    private let clock = ManualClock()
    /// Holds the events of the worker that answers queries.
    private let gate = Gate()
    private let page: CachingDispatcher
    private let pageNode: InProcessCluster

    init() throws {
        pageNode = cluster.node()
        let remote = try ClusterDispatcher(Shop.messages, on: pageNode, options: .patient)
        page = try remote.caching(in: .memory(limit: .entries(100))) { Self.rules }
    }

    @ListBuilder<CacheRule> private static var rules: [CacheRule] {
        Cache(LoadStock.self, .untilInvalidated)
        Invalidate(LoadStock.self, after: AddStock.self) { $0.item == $1.item }
    }

    /// Runs a worker for commands, and one with a cache for queries, whose events wait.
    private func run(_ body: () async throws -> Void) async throws {
        let local = try shop.dispatcher().caching(in: .memory(limit: .entries(100))) { Self.rules }
        var late = CustomEngine(cluster.node())
        late.backplane = CustomBackplane(base: late.backplane, onEvent: { [gate] _ in try? await gate.pass() })
        let workers = [
            try ClusterWorker(Self.commands, try shop.dispatcher(), on: cluster, options: .patient),
            try ClusterWorker(Self.queries, local, on: late, caches: [local.cache], options: .patient, clock: clock),
        ]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in workers { group.addTask { try await worker.run() } }
            // The values of the page and of the worker from before the command.
            #expect(try await page.dispatch(LoadStock(item: "tea")) == 0)
            try await body()
            gate.open()
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    @Test func `a query waits for the events of the commands that its sender knows`() async throws {
        try await run {
            try await page.dispatch(AddStock(item: "tea", count: 1))
            async let stock = page.read(LoadStock(item: "tea"))
            await gate.arrivals(1)
            gate.open()
            let result = try await stock
            #expect(result.value == 1)
            #expect(!result.isStale)
        }
    }

    @Test func `the value of a node that stays behind is stale`() async throws {
        try await run {
            try await page.dispatch(AddStock(item: "tea", count: 1))
            async let stock = page.read(LoadStock(item: "tea"))
            for _ in 1...2 {
                while await clock.nextSleeper() != .seconds(1) {}
                clock.advance(by: .seconds(1))
            }
            let result = try await stock
            #expect(result.value == 0)
            #expect(result.isStale)
            #expect(page.cache.peek(LoadStock(item: "tea")) == nil)
        }
    }

    @Test func `an observer of the page sees the change of another node`() async throws {
        let other = try ClusterDispatcher(Shop.messages, on: cluster.node(), options: .patient)
        let invalidation = try ClusterInvalidation(Shop.messages, of: page.cache, on: pageNode)
        try await run {
            let following = Task { try await invalidation.run() }
            var values = page.observe(LoadStock(item: "tea")).values.makeAsyncIterator()
            #expect(try await values.next() == 0)
            try await other.dispatch(AddStock(item: "tea", count: 1))
            await gate.arrivals(1)
            gate.open()
            #expect(try await values.next() == 1)
            following.cancel()
            try await following.value
        }
    }
}
