public import CoreMetrics
public import DuetCaching

extension QueryCache {
    /// Reports reads, evictions and invalidations until the task is canceled, and the last ones then.
    ///
    /// ```swift
    /// let reporter = Task { await cache.reportMetrics(every: .seconds(10)) }
    /// ```
    ///
    /// - `duet.cache.reads`: a counter with the dimensions `duet.message` and `duet.cache.outcome`, which is `hit`,
    ///   `miss`, `stale` or `coalesced`
    /// - `duet.cache.evictions` and `duet.cache.invalidations`: counters with the dimension `duet.message`
    /// - `duet.cache.entries`: a gauge of the number of values in memory
    ///
    /// A hit costs nothing more: the cache counts anyway, and this task reports the differences.
    ///
    /// - Parameters:
    ///   - factory: Creates the metrics; nil for the factory of the process or task.
    ///   - interval: The time between two reports.
    ///   - clock: Measures the interval.
    public func reportMetrics(
        to factory: (any MetricsFactory)? = nil,
        every interval: Duration = .seconds(10),
        clock: any Clock<Duration> = ContinuousClock()
    ) async {
        let factory = factory ?? MetricsSystem.factory
        var reported: [String: CacheStatistics] = [:]
        while true {
            let isCanceled = (try? await clock.sleep(for: interval)) == nil
            let current = statistics
            for (query, now) in current.sorted(by: { $0.key < $1.key }) {
                report(now, since: reported[query], of: query, factory)
            }
            Gauge(label: "duet.cache.entries", dimensions: [], factory: factory).record(count)
            reported = current
            if isCanceled { return }
        }
    }

    private func report(
        _ now: CacheStatistics,
        since last: CacheStatistics?,
        of query: String,
        _ factory: any MetricsFactory
    ) {
        func add(_ count: KeyPath<CacheStatistics, Int>, to label: String, _ outcome: String? = nil) {
            let difference = now[keyPath: count] - (last?[keyPath: count] ?? 0)
            guard difference > 0 else { return }
            let dimensions = [("duet.message", query)] + (outcome.map { [("duet.cache.outcome", $0)] } ?? [])
            Counter(label: label, dimensions: dimensions, factory: factory).increment(by: difference)
        }
        add(\.hits, to: "duet.cache.reads", "hit")
        add(\.misses, to: "duet.cache.reads", "miss")
        add(\.stale, to: "duet.cache.reads", "stale")
        add(\.coalesced, to: "duet.cache.reads", "coalesced")
        add(\.evicted, to: "duet.cache.evictions")
        add(\.invalidations, to: "duet.cache.invalidations")
    }
}
