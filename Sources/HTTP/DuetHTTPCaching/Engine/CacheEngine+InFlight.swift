import Duet
import DuetHTTP
import HTTPTypes

/// One fetch for many requests (as nginx's `proxy_cache_lock`): the others wait until the response is stored, and read
/// the store.
extension CacheEngine {
    /// Sends a request to the origin, or waits for another request for the same response.
    func fetch(_ fetch: Fetch, _ request: CacheRequest) async throws -> (HTTPResponse, HTTPBody) {
        let key = request.sharingKey
        if let key {
            // After a failed fetch, one of the waiting requests tries again for all, so that not all go to a failing
            // origin.
            attempts: for isLastAttempt in [false, true] {
                switch inFlight.join(key, request.request, at: now()) {
                case .unshared:
                    break attempts
                case .began(let caller):
                    return try await FetchContext(caller).use {
                        try await lead(caller, fetch.withoutTimeout, request, key)
                    }
                case .subscribed(let subscription):
                    do {
                        switch try await wait(for: subscription, fetch, request, key) {
                        case .response(let response): return finish(response)
                        case .again: continue
                        case .alone: break attempts
                        }
                    } catch {
                        // Neither another request's cancellation nor its limits end this one.
                        try Task.checkCancellation()
                        guard case .connectionFailed? = (error as? HTTPClientError)?.reason else { break attempts }
                        guard isLastAttempt else { continue }
                        if case .validate(let stored) = fetch.basis, let stale = await stale(stored, request) {
                            return finish(stale)
                        }
                        throw error
                    }
                }
            }
        }
        return try await lead(InFlightPosition(ofCallerFor: request.request), fetch, request, key)
    }

    private func lead(
        _ caller: InFlightPosition,
        _ fetch: Fetch,
        _ request: CacheRequest,
        _ key: InFlightTable.Key?
    ) async throws -> (HTTPResponse, HTTPBody) {
        begin(caller.fetch, fetch, request, key)
        return finish(try await caller.fetch.response(), caller)
    }

    func begin(_ inFlight: InFlightFetch, _ fetch: Fetch, _ request: CacheRequest, _ key: InFlightTable.Key?) {
        inFlight.start { [self] inFlight in await run(inFlight, fetch, request, key) }
    }

    private func run(_ fetch: InFlightFetch, _ plan: Fetch, _ request: CacheRequest, _ key: InFlightTable.Key?) async {
        // No request waits for a fetch that has ended. It is removed first, so that a later request finds the response
        // in the store.
        func close() {
            if let key { inFlight.remove(key, fetch) }
        }
        do {
            let meanwhile = key == nil ? nil : await storedMeanwhile(request)
            let fetched = if let meanwhile { meanwhile } else { try await exchange(plan, request) }
            // Neither an invalidation nor a failing origin says anything about the next response.
            let isFailure = StatusCode.isFailure(fetched.response.head.status.code)
            if let key, fetched.outcome.isShared || !isFailure && fetched.response.status.notStored != .outdated {
                inFlight.note(key, isShared: fetched.outcome.isShared, at: now())
            }
            guard let (body, fill) = fetched.storing else {
                close()
                return fetch.respond(.success(fetched.response), fetched.outcome)
            }
            if !fetched.outcome.isShared { close() }
            fetch.respond(.success(fetched.response), fetched.outcome)
            let (end, refusal) = await fetch.forward(body, storing: fill)
            if let key, let refusal, refusal == .store || refusal == .incomplete, (try? end.get()) != nil {
                inFlight.note(key, isShared: false, at: now())
            }
            close()
            if case .failure(let error) = end {
                fetch.finish(end, .failed(error))
            } else {
                let isStored = refusal == nil && fetched.outcome.isShared
                fetch.finish(end, isStored ? .stored(fetched.response.status) : .notStored)
            }
        } catch {
            close()
            fetch.respond(.failure(error), .failed(error))
        }
    }

    /// The response that another fetch has stored since this request was looked up, when that fetch had ended before it
    /// could be waited for.
    private func storedMeanwhile(_ request: CacheRequest) async -> Fetched? {
        guard epochs.hasChanged(since: request.epoch), let (hit, request) = await hitByNow(request),
            let response = await stored(hit, request, status(of: hit))
        else { return nil }
        return Fetched(response, .stored(response.status))
    }

    /// The hit that is possible without the origin by now, and the request with the new entries.
    private func hitByNow(_ request: CacheRequest) async -> (Hit, CacheRequest)? {
        let request = await cacheRequest(request.request, request.key, request.origin)
        guard case .hit(let hit) = policy.lookup(in: request.responses, for: request.request, at: now()),
            hit.staleness != .whileRevalidate
        else { return nil }
        return (hit, request)
    }

    // MARK: Waiting

    /// The effect of another request's fetch on a request that waited for it.
    private enum Waited {
        case response(CacheResponse)
        /// The request has to be sent, and may wait for others that are.
        case again
        /// The request has to be sent by itself, without sharing.
        case alone
    }

    private struct WaitLimitExceeded: Error {}

    /// - Throws: The error that ended the fetch; `CancellationError`.
    private func wait(
        for subscription: InFlightPosition,
        _ fetch: Fetch,
        _ request: CacheRequest,
        _ key: InFlightTable.Key
    ) async throws -> Waited {
        let outcome: InFlightFetch.Outcome
        do {
            outcome = try await withTimeout(
                configuration.waitLimit,
                clock: configuration.clock,
                error: WaitLimitExceeded()
            ) { [self] in
                try await subscription.fetch.outcome { response in
                    if case .hit = policy.lookup(in: [response], for: request.request, at: now()) {
                        true
                    } else {
                        false
                    }
                }
            }
        } catch is WaitLimitExceeded {
            // The next requests do not wait for it either: one of them begins another fetch.
            inFlight.remove(key, subscription.fetch)
            return .alone
        }
        switch outcome {
        case .storing(let response):
            guard response.selection.matches(request.request) else { return .alone }
            // It is stale by now, for other requests too.
            inFlight.remove(key, subscription.fetch)
            return .again
        case .stored(let origin):
            guard let (hit, request) = await hitByNow(request) else { return .again }
            var status = origin.hit ? status(of: hit) : status(fetch.reason)
            status.forwardStatus = origin.forwardStatus
            status.stored = origin.stored
            status.ttl = hit.ttl
            status.collapsed = !origin.hit
            return await stored(hit, request, status).map(Waited.response) ?? .again
        case .notStored:
            return .alone
        case .originFailed(let code):
            guard case .validate(let stored) = fetch.basis,
                var response = await stale(stored, request, insteadOf: code)
            else { return .alone }
            response.status.collapsed = true
            return .response(response)
        case .failed(let error):
            throw error
        }
    }
}
