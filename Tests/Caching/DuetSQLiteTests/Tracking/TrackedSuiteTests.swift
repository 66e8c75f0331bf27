import Duet
import DuetCaching
import DuetCluster
import DuetHTTP
import DuetSQLite
import DuetTesting
import TestSupport
import Testing

/// Runs examples behind caches without rules.
@Suite(.timeLimit(.minutes(5)))
struct TrackedSuiteTests {
    private static let suite = MessageSuite(TrackedService.api) {
        Example(LoadTitle(id: 1), returns: "Duet")
        Example(LoadTitle(id: 9), throws: NoTalk())
        Example(Rename(id: 1, title: "Trio"), then: LoadTitle(id: 1), returns: "Trio")
        Example(Rename(id: 1, title: "Trio"), then: LoadTitle(id: 2), returns: "Solo")
        Example(SetSeats(id: 1, seats: 5), then: LoadSeats(id: 1), returns: 5)
        Example(Retitle(id: 2, title: "Trio"), then: FindTalks(title: "Trio"), returns: "[id:2]")
    }

    private static func check(
        _ suite: MessageSuite = suite,
        _ cache: Place = .cache {
            try QueryCache(in: .memory(limit: .entries(100))) {
                Cache(LoadTitle.self, .maxAge(.hours(1)))
                Cache(LoadSeats.self, .maxAge(.hours(1)))
                Cache(FindTalks.self, .maxAge(.hours(1)))
            }
        },
        makeDispatcher: () async throws -> any Dispatcher
    ) async throws {
        let reason = "the cache is in front of the carrier"
        try await suite.check(
            in: cache,
            .skipping(.http, because: reason),
            .skipping(.cluster, because: reason),
            makeDispatcher: makeDispatcher
        )
    }

    @Test func `a client without rules sees all commands over HTTP`() async throws {
        try await Self.check { try TrackedService().remote() }
    }

    @Test func `a client of a server in front of nodes sees all commands`() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            try await Self.check {
                let (service, cluster) = (try TrackedService(), InProcessCluster())
                let worker = try ClusterWorker(TrackedService.api, service.handlers, on: cluster, options: .patient)
                group.addTask { try await worker.run() }
                let node = try ClusterDispatcher(TrackedService.api, on: cluster.node(), options: .patient)
                return try service.remote(through: TrackedService.network(node))
            }
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    @Test func `a query without a policy whose handler reads what nobody can track is a difference`() async throws {
        let service = try TrackedService()
        service.handlers.stub(LoadSeats.self) { _ in
            CacheLoad.current?.readUntracked("exchange rates")
            return 3
        }
        let suite = MessageSuite(TrackedService.api) { Example(LoadSeats(id: 1), returns: 3) }
        let cache = Place.cache {
            try QueryCache(in: .memory(limit: .entries(10)), tracking: [service.world.database]) {
                Cache(LoadSeats.self)
            }
        }
        await #expect {
            try await Self.check(suite, cache) { service.handlers }
        } throws: {
            "\($0)".contains("exchange rates")
        }
    }
}
