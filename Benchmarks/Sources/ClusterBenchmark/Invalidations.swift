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
        print("An invalidation that reaches the other node, 100 times.")
        let engines = [
            try await ClusterBenchmark.connect(server, "events"), try await ClusterBenchmark.connect(server, "events"),
        ]
        let local = try StandardDispatcher { LoadStockHandler() }
        let caches = try engines.map { _ in
            try local.caching(in: .memory(limit: .entries(10))) {
                Cache(LoadStock.self, .untilInvalidated, tags: { [$0.item] })
            }
        }
        let services = try zip(engines, caches).map { engine, cached in
            let service = try ClusterInvalidation(.queries, of: cached.cache, on: engine)
            return Task { try await service.run() }
        }
        let (first, second) = (caches[0], caches[1])
        var states = second.observe(Bytes.query).makeAsyncIterator()
        while await states.next()?.value == nil {}
        var last: Date?
        // A slow reader skips states, so the date of the value that is loaded again shows the invalidation.
        func reload() async {
            let date = last
            while let state = await states.next() {
                guard !state.isLoading, !state.isStale, state.date != date else { continue }
                last = state.date
                return
            }
        }
        // Both follow the events when an invalidation of one reaches the other.
        let connecting = Task {
            while true {
                first.cache.invalidate(tag: Bytes.query.item)
                try await ContinuousClock().sleep(for: .milliseconds(50))
            }
        }
        for _ in 0..<5 { await reload() }
        connecting.cancel()
        _ = await connecting.result
        try await ContinuousClock().sleep(for: .milliseconds(200))
        second.cache.invalidate(tag: Bytes.query.item)
        await reload()
        var all: [Double] = []
        for _ in 0..<100 {
            // An observed value that was just loaded is loaded again after a pause of 100 ms.
            try await ContinuousClock().sleep(for: .milliseconds(120))
            let start = ContinuousClock.now
            first.cache.invalidate(tag: Bytes.query.item)
            await reload()
            all.append(start.duration(to: .now) / .milliseconds(1))
        }
        printFigure("ms until an invalidation reaches the other node, median", all.sorted().median, atMost: 3)
        for service in services { service.cancel() }
        for engine in engines { await engine.close() }
    }
}
