import Duet
import DuetHTTP
import HTTPTypes

/// One fetch for many requests (as nginx's `proxy_cache_lock`): the others wait until the response is stored, and read
/// the store.
extension CacheEngine {
    /// Sends a request to the origin, or waits for another request for the same response.
    func fetch(_ fetch: Fetch, _ request: CacheRequest) async throws -> CacheResponse {
        guard let key = request.sharingKey else { return try await exchange(fetch, request).response }
        var failures = 0
        while true {
            switch inFlight.join(key, at: now()) {
            case .leads(let own):
                return try await lead(fetch, request, as: own, key: key)
            case .unshared:
                return try await lead(fetch, request, as: nil, key: key)
            case .follows(let other):
                switch try await wait(for: other, request, key) {
                case .stored(let origin):
                    if let response = await stored(by: origin, fetch, request) { return response }
                case .originFailed(let code):
                    if let stored = fetch.stored, var response = await stale(stored, request, insteadOf: code) {
                        response.status.collapsed = true
                        return response
                    }
                case .failed(let error):
                    // The limits of another request do not end this one.
                    guard case .connectionFailed? = (error as? HTTPClientError)?.reason else { break }
                    // One of the waiting requests tries again for all, so that not all go to a failing origin.
                    failures += 1
                    guard failures > 1 else { continue }
                    if let stored = fetch.stored, let stale = await stale(stored, request) { return stale }
                    throw error
                case .abandoned:
                    continue
                case .notStored:
                    break
                }
                return try await lead(fetch, request, as: nil, key: key)
            }
        }
    }

    /// Sends the request to the origin.
    ///
    /// - Parameter own: The fetch that others wait for; nil if none can.
    private func lead(
        _ fetch: Fetch,
        _ request: CacheRequest,
        as own: InFlightFetch?,
        key: InFlightTable.Key
    ) async throws -> CacheResponse {
        // No request waits for a fetch that has ended. It is removed first, so that a later request finds the response
        // in the store.
        func end(_ outcome: InFlightFetch.Outcome) {
            guard let own else { return }
            inFlight.remove(key, own)
            own.end(outcome)
        }
        do {
            let meanwhile = await storedMeanwhile(request)
            let fetched = if let meanwhile { meanwhile } else { try await exchange(fetch, request, for: own) }
            // Neither an invalidation nor a failing origin says anything about the next response.
            let isFailure = StatusCode.isFailure(fetched.response.head.status.code)
            let isShared = fetched.outcome.isShared
            if isShared || !isFailure && fetched.response.status.notStored != .outdated {
                inFlight.note(key, isShared: isShared, at: now())
            }
            end(fetched.outcome)
            return fetched.response
        } catch {
            end(Task.isCancelled ? .abandoned : .failed(error))
            throw error
        }
    }

    /// The response that another fetch has stored since this request was looked up, when that fetch had ended before it
    /// could be waited for.
    private func storedMeanwhile(_ request: CacheRequest) async -> Fetched? {
        guard epochs.hasChanged(since: request.epoch), let hit = await hitByNow(request) else { return nil }
        let status = status(of: hit)
        return Fetched(CacheResponse(hit, to: request.request, status), .stored(status))
    }

    /// The hit that is possible without the origin by now.
    private func hitByNow(_ request: CacheRequest) async -> Hit? {
        let responses = await store.responses(for: request.key)
        guard case .hit(let hit) = policy.lookup(in: responses, for: request.request, at: now()) else { return nil }
        return hit
    }

    /// The response that the request which was waited for has stored; nil if it does not serve this one.
    private func stored(by origin: CacheStatus, _ fetch: Fetch, _ request: CacheRequest) async -> CacheResponse? {
        guard let hit = await hitByNow(request) else { return nil }
        var status = origin.hit ? status(of: hit) : status(fetch.reason)
        status.forwardStatus = origin.forwardStatus
        status.stored = origin.stored
        status.ttl = hit.ttl
        status.collapsed = !origin.hit
        return CacheResponse(hit, to: request.request, status)
    }

    // MARK: Waiting

    private struct WaitLimitExceeded: Error {}

    /// - Throws: `CancellationError`.
    private func wait(
        for other: InFlightFetch,
        _ request: CacheRequest,
        _ key: InFlightTable.Key
    ) async throws -> InFlightFetch.Outcome {
        do {
            return try await withTimeout(
                configuration.waitLimit,
                clock: configuration.clock,
                error: WaitLimitExceeded()
            ) { [self] in
                try await other.outcome { begun in
                    if case .hit = policy.lookup(in: [begun], for: request.request, at: now()) { true } else { false }
                }
            }
        } catch is WaitLimitExceeded {
            // The next requests do not wait for it either: one of them begins another fetch.
            inFlight.remove(key, other)
            return .notStored
        }
    }
}
