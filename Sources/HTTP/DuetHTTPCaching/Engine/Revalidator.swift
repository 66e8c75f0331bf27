import DuetHTTP
import HTTPTypes
import Synchronization

/// Runs background validations during ``run()``, up to a limit at a time.
final class Revalidator: Sendable {
    typealias Job = @Sendable @concurrent () async -> Void

    private struct State {
        var runners: [Int: AsyncStream<(InFlightTable.Key, Job)>.Continuation] = [:]
        /// The runner of each job that is waiting or under way.
        var keys: [InFlightTable.Key: Int] = [:]
        var lastID = 0
    }

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) {
        self.limit = limit
    }

    var isRunning: Bool { state.withLock { !$0.runners.isEmpty } }

    /// Runs a job later, unless one with the same key is waiting or under way; false if there are too many.
    func offer(_ key: InFlightTable.Key, _ job: @escaping Job) -> Bool {
        state.withLock { state in
            if state.keys[key] != nil { return true }
            guard state.keys.count < limit, let (id, runner) = state.runners.first else { return false }
            state.keys[key] = id
            runner.yield((key, job))
            return true
        }
    }

    /// Runs jobs until the task is canceled, which cancels those in progress.
    func run() async {
        let (jobs, continuation) = AsyncStream<(InFlightTable.Key, Job)>.makeStream()
        let id = state.withLock { state in
            state.lastID += 1
            state.runners[state.lastID] = continuation
            return state.lastID
        }
        await withDiscardingTaskGroup { group in
            for await (key, job) in jobs {
                group.addTask {
                    await job()
                    self.state.withLock { state in
                        if state.keys[key] == id { state.keys[key] = nil }
                    }
                }
            }
            state.withLock { $0.runners[id] = nil }
        }
        state.withLock { state in state.keys = state.keys.filter { $0.value != id } }
    }
}

extension CacheEngine {
    /// Whether a stale response that is served is validated in the background, or must not be validated at all.
    func revalidatesInBackground(_ hit: Hit, _ request: CacheRequest) -> Bool {
        var validated = Fetch(revalidating: hit.stored, for: request.request).original
        if CacheControl(validated.headerFields).onlyIfCached { return true }
        // The background fetch is for the whole, of which this request may want only a part or the head.
        if case .part = hit.stored.content { return false }
        guard request.request.method == .get, !request.request.headerFields.contains(.range) else { return false }
        validated.headerFields[.cacheControl] = nil
        let background = request.replacing(validated)
        guard let key = background.sharingKey else { return false }
        let fetch = Fetch(revalidating: hit.stored, for: validated).withoutTimeout
        let context = FetchContext(nil)
        return revalidator.offer(key) { [self] in
            await context.use { await revalidate(fetch, background, key) }
        }
    }

    /// Fetches in the background, and ends when the fetch has ended.
    private func revalidate(_ fetch: Fetch, _ request: CacheRequest, _ key: InFlightTable.Key) async {
        await read(fetch, request, key)?.ended()
    }

    /// Reads the response until it is stored; nil if another request is fetching it already.
    ///
    /// A separate function, because its end ends the subscription.
    private func read(_ fetch: Fetch, _ request: CacheRequest, _ key: InFlightTable.Key) async -> InFlightFetch? {
        let inFlight: InFlightFetch
        let subscription: InFlightPosition?
        do {
            let caller: InFlightPosition
            switch self.inFlight.join(key, request.request, at: now()) {
            case .subscribed: return nil
            case .began(let new): caller = new
            case .unshared: caller = InFlightPosition(ofCallerFor: request.request)
            }
            inFlight = caller.fetch
            // Instead of the caller, which would have to read the body.
            subscription = inFlight.subscribe()
            begin(inFlight, fetch, request, key)
            withExtendedLifetime(caller) {}
        }
        // After a failure the next request finds the response as stale as before, and fetches it.
        _ = try? await subscription?.fetch.outcome()
        return inFlight
    }
}
