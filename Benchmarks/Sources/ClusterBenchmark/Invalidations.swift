import Duet
import DuetCaching
import DuetCluster
import DuetNATS
import Foundation
import Rounds

/// The time from an invalidation on one node to the stale value on another one.
struct Invalidations {
    let server: String

    func measure() async throws {
        print("An invalidation that reaches the other node, 300 times.")
        let engines = [
            try await ClusterBenchmark.connect(server, "events"), try await ClusterBenchmark.connect(server, "events"),
        ]
        let local = try StandardDispatcher { LoadStockHandler() }
        let caches = try engines.map { _ in
            try local.caching(in: .memory(limit: .entries(10))) {
                Cache(LoadStock.self, .untilInvalidated, tags: { [$0.item] })
            }
        }
        let services = zip(engines, caches).map { engine, cached in
            let service = engine.invalidation(of: cached.cache) { LoadStock.self }
            return Task { try await service.run() }
        }
        let (first, second) = (caches[0], caches[1])
        var states = second.states(of: Bytes.query).makeAsyncIterator()
        while await states.next()?.value == nil {}
        // Until both follow the events.
        var isConnected = false
        while !isConnected {
            first.cache.invalidate(tag: Bytes.query.item)
            try await ContinuousClock().sleep(for: .milliseconds(50))
            let state = await states.next()
            isConnected = state?.isStale == true || state?.isLoading == true
        }
        var all: [Double] = []
        for _ in 0..<300 {
            while let state = await states.next(), state.isStale || state.isLoading {}
            let start = ContinuousClock.now
            first.cache.invalidate(tag: Bytes.query.item)
            while let state = await states.next(), !state.isStale, !state.isLoading {}
            all.append(start.duration(to: .now) / .milliseconds(1))
        }
        printFigure("ms until an invalidation reaches the other node, median", all.sorted().median, atMost: 3)
        for service in services { service.cancel() }
        for engine in engines { await engine.close() }
    }
}
