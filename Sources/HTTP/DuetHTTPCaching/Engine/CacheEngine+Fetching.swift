import DuetHTTP
import Foundation
import HTTPTypes

/// The result of a fetch, when the response is stored or will not be.
struct Fetched {
    let response: CacheResponse
    /// The effect of the fetch on requests that wait for it.
    let outcome: InFlightFetch.Outcome

    init(_ response: CacheResponse, _ outcome: InFlightFetch.Outcome = .notStored) {
        self.response = response
        self.outcome = outcome
    }
}

/// The exchange with the origin, and the processing of its response.
extension CacheEngine {
    /// - Parameter own: The fetch that other requests wait for, if they can.
    func exchange(_ fetch: Fetch, _ request: CacheRequest, for own: InFlightFetch? = nil) async throws -> Fetched {
        do {
            return try await attempt(fetch, request, own)
        } catch {
            guard let stored = fetch.stored, error.isUnreachableOrigin, let stale = await stale(stored, request) else {
                throw error
            }
            return Fetched(stale, .originFailed(nil))
        }
    }

    private func attempt(_ fetch: Fetch, _ request: CacheRequest, _ own: InFlightFetch?) async throws -> Fetched {
        let response = try await send(fetch.request, to: request.origin)
        var status = status(fetch.reason)
        switch fetch.interpret(response.head, at: response.times, by: policy) {
        case .replaced:
            return try await receive(response, status, request, for: own)
        case .confirmed(let freshened):
            status.forwardStatus = response.head.status.code
            await response.body.discard()
            // A response that was removed during its validation does not return.
            guard epochs.isCurrent(request.epoch) else {
                return try await exchange(Fetch(fetch.original, reason: .miss), request, for: own)
            }
            await freshenOthers(than: freshened.old, by: response, request)
            return await confirm(freshened, status, request)
        case .failed:
            return await staleOrFailed(response, of: fetch, status: status, request)
        case .unusable:
            // A 304 to the client's own condition is its response, if that condition was sent.
            if fetch.request == fetch.original, fetch.hasOwnCondition {
                return Fetched(response.forwarded(status, notStored: .status))
            }
            // Before anything else is sent, which may have to wait for the connection.
            await response.body.discard()
            return try await exchange(fetch.unconditional, request, for: own)
        }
    }

    func send(_ request: HTTPRequest, _ body: HTTPBody? = nil, to origin: any HTTPClient) async throws -> OriginResponse
    {
        let requested = now()
        let (head, body) = try await origin.send(request, body: body)
        return OriginResponse(head: head, body: body, times: ExchangeTimes(requested: requested, received: now()))
    }

    /// A stale response in place of a failure, or else the failure.
    private func staleOrFailed(
        _ response: OriginResponse,
        of fetch: Fetch,
        status: CacheStatus,
        _ request: CacheRequest
    ) async -> Fetched {
        let code = response.head.status.code
        guard let stored = fetch.stored, let stale = await stale(stored, request, insteadOf: code) else {
            return Fetched(response.forwarded(status, notStored: .originError), .originFailed(code))
        }
        await response.body.discard()
        return Fetched(stale, .originFailed(code))
    }

    // MARK: Responses that confirm what is stored

    /// A strong tag identifies one representation: other matching responses with that tag get the newer fields, too
    /// (RFC 9111, section 4.3.4).
    private func freshenOthers(
        than confirmed: StoredResponse,
        by response: OriginResponse,
        _ request: CacheRequest
    ) async {
        guard request.responses.count > 1,
            let tag = CachingFields(response.head.headerFields, received: response.times.received).entityTag
        else { return }
        for old in request.responses
        where old.id != confirmed.id && old.fields.entityTag?.matchesStrongly(tag) == true
            && old.selection.matches(request.request)
        {
            if let freshened = policy.freshened(
                old,
                by: response.head,
                at: response.times,
                selectedBy: request.request
            ) {
                await replace(freshened, request)
            } else {
                await store.remove([old.id], of: request.key)
            }
        }
    }

    /// The confirmed response, with its newer fields.
    private func confirm(_ freshened: Freshened, _ status: CacheStatus, _ request: CacheRequest) async -> Fetched {
        let hit = policy.confirmedHit(of: freshened.new, at: now())
        var status = status
        status.ttl = hit.ttl
        status.stored = true
        status = status.notStored(await replace(freshened, request))
        let isShared = status.stored && ReuseTerms(freshened.new, by: policy, at: now()).answersOthers
        return Fetched(CacheResponse(hit, to: request.request, status), isShared ? .stored(status) : .notStored)
    }

    /// Replaces a stored response by the one with newer fields, or removes it if that must not be stored.
    ///
    /// - Returns: Why the new one is not stored, or nil.
    @discardableResult
    private func replace(_ freshened: Freshened, _ request: CacheRequest) async -> NotStored? {
        guard let refusal = freshened.refusal else {
            return await keep(freshened.new, insteadOf: freshened.old, request)
        }
        await store.remove([freshened.old.id], of: request.key)
        return refusal
    }
}

extension Error {
    /// Whether the origin did not respond, so that a stale response may be served instead.
    fileprivate var isUnreachableOrigin: Bool {
        switch (self as? HTTPClientError)?.reason {
        case .connectionFailed, .deadlineExceeded: true
        default: false
        }
    }
}
